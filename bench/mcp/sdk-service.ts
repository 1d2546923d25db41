import { createPlatform, silent } from '../http/platform.ts'
import { contend } from './contender.ts'
import { serveSdk } from './sdk-server.ts'
import { HITS } from './tool.ts'

// The SDK around Seine's own tool, in process and in memory: the same work in the tool as in
// `seine-memory`, without its guards.
await contend(() => {
  const { api } = createPlatform({
    search: { name: 'Bench', search: async () => HITS },
    logger: silent,
  })
  const principal = { account: 'bench', user: 'bench', scopes: ['*'] }
  return serveSdk({
    parsed: false,
    body: async ({ query }) =>
      (
        await api.agentic.call(principal, {
          tool: 'search',
          arguments: { query: String(query) },
          keep: false,
        })
      ).result,
  })
})
