import { crawlWithSeine } from '../crawl/seine.ts'

await crawlWithSeine({ threads: 1 })
