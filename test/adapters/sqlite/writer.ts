// A process of its own that writes files which others write, too.
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { serveWriter } from '../../support/stores/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
