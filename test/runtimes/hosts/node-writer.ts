import { createSqliteStore } from 'seine/sqlite'
import { serveWriter } from '../../support/stores/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
