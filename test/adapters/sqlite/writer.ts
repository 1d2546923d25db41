// A separate process that writes to files to which other processes write as well.
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { serveWriter } from '../../support/stores/serve-writer.ts'

await serveWriter((path) => createSqliteStore({ path }))
