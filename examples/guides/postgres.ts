import postgres from 'postgres' // or: new Pool() of pg
import { createPlatform } from 'seine'
import { createPostgresStore } from 'seine/postgres'

export const platform = createPlatform({
  store: createPostgresStore({ client: postgres('postgres://localhost/app') }),
  limiter: 'store',
})
