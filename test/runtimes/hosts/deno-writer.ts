import { createSqliteStore } from 'seine/deno'
import { serveWriter } from '../../support/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
