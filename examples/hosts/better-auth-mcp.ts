import { DatabaseSync } from 'node:sqlite'
import { cimd } from '@better-auth/cimd'
import { fetchClientMetadataResource } from '@better-auth/cimd/node'
import { mcp } from '@better-auth/mcp'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { jwt } from 'better-auth/plugins'
import { createPlatform } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'
import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const port = Number(process.env.PORT ?? 3000)
const local = `http://localhost:${port}`
// The address that people and their clients know, such as https://data.example.com.
const origin = process.env.ORIGIN ?? local
const issuer = `${origin}/api/auth`
const publicUrl = `${origin}/data`
const resource = `${publicUrl}/mcp`
const scopes = ['mcp:search', 'mcp:fetch', 'mcp:crawl', 'mcp:templates', 'mcp:extract']

const options: BetterAuthOptions = {
  baseURL: origin,
  database: new DatabaseSync('users.db'),
  emailAndPassword: { enabled: true },
  plugins: [
    jwt(),
    mcp({
      resource,
      loginPage: '/login',
      consentPage: '/consent',
      scopes: ['openid', 'profile', 'offline_access', ...scopes],
      // Clients that host no metadata document register themselves. Nobody vouches for their name.
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
    }),
    cimd({ fetchClientMetadataResource, metadataProfile: 'mcp-2026-07-28' }),
  ],
}
await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
  publicUrl,
  authenticators: [
    createJwtAuthenticator({
      // The keys are this server's own, so their address is not public.
      jwks: `${local}/api/auth/jwks`,
      privateHost: 'localhost',
      issuer,
      audience: resource,
    }),
  ],
  mcp: { authorizationServers: [issuer] },
})

/** A page with a form that asks the authorization server, whose answer says where to go on. */
function form(title: string, fields: string, path: string, answer: string, links = ''): Response {
  const script = `const [form] = document.forms
for (const link of document.links) link.search = location.search
form.onsubmit = async (event) => {
  event.preventDefault()
  const oauth_query = location.search.slice(1)
  const value = Object.fromEntries(new FormData(form))
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(${answer})
  const response = await fetch('/api/auth/${path}', { method: 'POST', headers, body })
  const { url, message = 'Done. Go back to where you came from.' } = await response.json()
  if (url) location.href = url
  else form.lastChild.textContent = message
}`
  const html = `<!doctype html><title>${title}</title><h1>${title}</h1>${links}
<form>${fields}<button>${title}</button><output></output></form><script>${script}</script>`
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}
const NAME = '<label>Name <input name="name" required></label>'
const FIELDS =
  '<label>Email <input name="email" type="email" required></label>' +
  '<label>Password <input name="password" type="password" minlength="8" required></label>'
const WITH_QUERY = '{ ...value, oauth_query }'

const server = await serve({
  platform,
  port,
  fetch(request, context) {
    const { pathname } = new URL(request.url)
    const ofPlatform = ['/data/', '/.well-known/oauth-protected-resource']
    if (ofPlatform.some((start) => pathname.startsWith(start)))
      return platform.fetch(request, context)
    if (['/api/auth/', '/.well-known/'].some((start) => pathname.startsWith(start)))
      return auth.handler(request)
    if (pathname === '/login')
      return form('Sign in', FIELDS, 'sign-in/email', WITH_QUERY, '<a href="/sign-up">Sign up</a>')
    if (pathname === '/sign-up')
      return form(
        'Sign up',
        NAME + FIELDS,
        'sign-up/email',
        WITH_QUERY,
        '<a href="/login">Sign in</a>',
      )
    if (pathname === '/consent')
      return form('Allow', '', 'oauth2/consent', '{ accept: true, oauth_query }')
    return new Response('The pages of your own site')
  },
})

process.once('SIGTERM', async () => {
  await server.close()
  await platform.close()
})
