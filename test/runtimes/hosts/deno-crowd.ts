import { createSqliteStore } from 'seine/deno'
import { runCrowd } from '../contracts/run-crowd.ts'

await runCrowd('node:sqlite', createSqliteStore)
