import { availableParallelism } from 'node:os'
import { crawlWithSeine } from '../crawl/seine.ts'

await crawlWithSeine({ threads: availableParallelism() })
