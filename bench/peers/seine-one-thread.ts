import { crawlWithSeine } from '../seine-crawl.ts'

await crawlWithSeine({ threads: 1 })
