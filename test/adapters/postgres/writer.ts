// A separate process that writes to schemas to which other processes write as well.
import postgres from 'postgres'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { serveWriter } from '../../support/stores/serve-writer.ts'

const [, , host = ''] = process.argv
const client = postgres({ host, user: 'seine', database: 'postgres', max: 2, onnotice: () => {} })
await serveWriter((schema) => createPostgresStore({ client, schema }))
await client.end()
