import { createSqliteStore as createBunStore } from 'seine/bun'
import { createSqliteStore as createNodeStore } from 'seine/sqlite'
import { runStoreContract } from '../contracts/run-store-contract.ts'

await runStoreContract({ 'bun:sqlite': createBunStore, 'node:sqlite': createNodeStore })
