import { createSqliteStore } from 'seine/sqlite'
import { runStoreContract } from '../contracts/run-store-contract.ts'

await runStoreContract({ 'node:sqlite': createSqliteStore })
