import { createSqliteStore } from 'seine/bun'
import { serveWriter } from '../../support/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
