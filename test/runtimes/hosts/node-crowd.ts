import { createSqliteStore } from 'seine/sqlite'
import { runCrowd } from '../contracts/run-crowd.ts'

await runCrowd('node:sqlite', createSqliteStore)
