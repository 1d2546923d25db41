import { createPlatform } from 'seine'
import { createSqliteStore } from 'seine/sqlite'

// The store of your server. It may run at the same time.
const platform = createPlatform({ store: createSqliteStore({ path: 'seine.db' }) })

const { secret } = await platform.api.keys.create(
  { account: 'acme', user: 'ann', scopes: ['*'] },
  { name: 'first', scopes: ['*'] },
)
console.log(secret)
await platform.close()
