import { createSqliteStore } from 'seine/bun'
import { runCrowd } from '../contracts/run-crowd.ts'

await runCrowd('bun:sqlite', createSqliteStore)
