import { createSqliteStore } from 'seine/bun'
import { serveWriter } from '../../support/stores/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
