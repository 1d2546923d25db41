import { createSqliteStore } from 'seine/sqlite'
import { serveWriter } from '../../support/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
