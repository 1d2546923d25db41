import { createSqliteStore } from 'seine/deno'
import { serveWriter } from '../../support/stores/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
