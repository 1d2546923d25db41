import { parseArgs } from 'node:util'
import { createPlatform, RATE, serve, silent, sqlite } from '../http/platform.ts'
import { contend } from './contender.ts'
import { HITS } from './tool.ts'

// The whole platform as it is shipped, on SQLite: it knows the caller by a stored key, holds Host,
// Origin, scopes, the rate of agents and the size of bodies to their rules, checks the arguments,
// and notes each call in its store.
await contend(async () => {
  const { values } = parseArgs({ options: { store: { type: 'string' } } })
  const platform = createPlatform({
    ...(values.store !== undefined && { store: sqlite.createSqliteStore({ path: values.store }) }),
    search: { name: 'Bench', search: async () => HITS },
    rateLimits: { mcp: RATE },
    logger: silent,
  })
  const { secret } = await platform.api.keys.create(
    { account: 'bench', user: 'bench', scopes: ['*'] },
    { name: 'bench', scopes: ['mcp:*'] },
  )
  return { port: (await serve({ platform, port: 0 })).port, secret }
})
