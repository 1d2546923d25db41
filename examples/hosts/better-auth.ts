import { DatabaseSync } from 'node:sqlite'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { createPlatform, type Authenticator } from 'seine'
import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://localhost:${port}`
const options: BetterAuthOptions = {
  baseURL: origin,
  database: new DatabaseSync('users.db'),
  emailAndPassword: { enabled: true },
}
// First, as it logs an error about tables that are missing.
await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)

//#region mounting
/** Signed-in users may use the platform, and so may callers with an API key. */
const bySession: Authenticator = async ({ method, headers }) => {
  if (!headers.has('cookie')) return null
  // Browsers send cookies along with what other sites ask for. Those can read no answer, but a
  // write must come from our own pages.
  if (!['GET', 'HEAD'].includes(method) && headers.get('origin') !== origin) return null
  const session = await auth.api.getSession({ headers })
  return (
    session && {
      account: session.user.id,
      user: session.user.id,
      scopes: ['tasks:*', 'executions:*', 'datasets:*', 'billing:read'],
    }
  )
}

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
  authenticators: [bySession],
})
//#endregion

const server = await serve({
  platform,
  port,
  fetch(request, context) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/data/')) return platform.fetch(request, context)
    return pathname.startsWith('/api/auth/')
      ? auth.handler(request)
      : new Response('The pages of your own site')
  },
})

process.once('SIGTERM', async () => {
  await server.close()
  await platform.close()
})
