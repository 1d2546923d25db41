import { createSqliteStore } from 'seine/deno'
import { runStoreContract } from '../contracts/run-store-contract.ts'

await runStoreContract({ 'node:sqlite': createSqliteStore })
