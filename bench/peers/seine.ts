import { availableParallelism } from 'node:os'
import { crawlWithSeine } from '../seine-crawl.ts'

await crawlWithSeine({ threads: availableParallelism() })
