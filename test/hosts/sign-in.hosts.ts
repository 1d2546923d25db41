import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOSTS } from './hosts.ts'
import { HostProject } from './project.ts'
import { Browser } from './sign-in-browser.ts'
import type { Fetch } from './sign-in-browser.ts'
import { startHost } from './start-host.ts'
import type { RunningHost } from './start-host.ts'

// Proves that a client which knows nothing but the address of the endpoint signs its user in, as the
// directories of connectors want it: it finds the authorization server, registers, and gets a token
// for this endpoint alone, by the official client's own code. The test is the browser.

const CALLBACK = 'http://127.0.0.1:9/callback'
let project: HostProject
let host: RunningHost
/** The same, where the document of any client is that of client-document.ts. */
let documented: RunningHost
/** The same, behind a proxy at another address. */
let proxied: RunningHost
beforeAll(async () => {
  const example = HOSTS.find(({ file }) => file === 'better-auth-mcp.ts')
  if (!example) throw new Error('There is no example of an authorization server')
  project = await HostProject.create()
  host = await startHost(example, await project.add('sign-in', null))
  const preload = new URL('client-document.ts', import.meta.url).href
  documented = await startHost(
    { ...example, command: [...example.command, '--import', preload] },
    await project.add('documents', null),
  )
  proxied = await startHost(
    { ...example, env: { ...example.env, ORIGIN: 'https://data.example.com' } },
    await project.add('proxied', null),
  )
})
afterAll(async () => {
  for (const running of [host, documented, proxied]) {
    running?.terminate()
    await running?.ended
  }
  await project.remove()
})

/** The state that a client keeps, as the official client asks for it. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadata
  /** The address of the client's document; absent: it registers. */
  readonly clientMetadataUrl?: string
  address: URL | null = null
  #client: ReturnType<OAuthClientProvider['clientInformation']>
  #tokens: ReturnType<OAuthClientProvider['tokens']>
  #verifier = ''

  constructor(redirectUrl = CALLBACK, clientMetadataUrl?: string) {
    this.redirectUrl = redirectUrl
    this.clientMetadata = {
      client_name: 'Test',
      application_type: 'native',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  clientInformation() {
    return this.#client
  }
  saveClientInformation(
    client: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0],
  ) {
    this.#client = client
  }
  tokens() {
    return this.#tokens
  }
  saveTokens(tokens: Parameters<OAuthClientProvider['saveTokens']>[0]) {
    this.#tokens = tokens
  }
  redirectToAuthorization(address: URL) {
    this.address = address
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
}

const json = { 'content-type': 'application/json' }
const ask = async (url: string | URL, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  return { response, body: text.startsWith('{') ? JSON.parse(text) : { text } }
}

const PASSWORD = 'correct horse battery staple'

/** Signs up on the page for it and returns the cookie of the session. */
async function signUp(email: string, { url }: Pick<RunningHost, 'url'> = host): Promise<string> {
  const browser = new Browser(url)
  await browser.submit(new URL('/sign-up', url), { name: email, email, password: PASSWORD })
  if (browser.cookie === '') throw new Error(`Nobody signed up: ${browser.said}`)
  return browser.cookie
}

/** The URL to which the authorization server sends the browser of a user who is signed in. */
async function sentTo(
  address: URL,
  cookie: string,
  { url }: Pick<RunningHost, 'url'> = host,
): Promise<URL> {
  const { response, body } = await ask(address, { headers: { cookie } })
  return new URL(response.headers.get('location') ?? body.url, url)
}

/** Makes a client known, and lets the user allow it; the answer goes to the client. */
async function allowed(
  client: Kept,
  cookie: string,
  { url }: Pick<RunningHost, 'url'> = host,
): Promise<URL> {
  expect(await auth(client, { serverUrl: `${url}/data/mcp` })).toBe('REDIRECT')
  if (!client.address) throw new Error('The client has no address to send its user to')
  const consent = await sentTo(client.address, cookie, { url })
  expect(consent.pathname).toBe('/consent')
  const { body } = await ask(`${url}/api/auth/oauth2/consent`, {
    method: 'POST',
    headers: { ...json, cookie, origin: url },
    body: JSON.stringify({ accept: true, oauth_query: consent.search.slice(1) }),
  })
  return new URL(body.url)
}

test('the refusal of the endpoint leads to an authorization server with PKCE, CIMD and registration', async () => {
  const { response } = await ask(`${host.url}/data/mcp`, {
    method: 'POST',
    headers: json,
    body: '{}',
  })
  const challenge = response.headers.get('www-authenticate') ?? ''
  const [, about = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const { body: resource } = await ask(about)
  expect([response.status, resource]).toMatchObject([
    401,
    {
      resource: `${host.url}/data/mcp`,
      authorization_servers: [`${host.url}/api/auth`],
      scopes_supported: expect.arrayContaining(['mcp:fetch']),
    },
  ])
  const { body: server } = await ask(`${host.url}/.well-known/oauth-authorization-server/api/auth`)
  expect(server).toMatchObject({
    issuer: `${host.url}/api/auth`,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    registration_endpoint: `${host.url}/api/auth/oauth2/register`,
    authorization_response_iss_parameter_supported: true,
  })
})

test('a client signs its user in and uses the tools, each user with an account of their own', async () => {
  const accounts = []
  for (const email of ['ann@example.com', 'bob@example.com']) {
    const client = new Kept()
    const back = await allowed(client, await signUp(email))
    const authorizationCode = back.searchParams.get('code') ?? ''
    const serverUrl = `${host.url}/data/mcp`
    expect(await auth(client, { serverUrl, authorizationCode })).toBe('AUTHORIZED')
    const user = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(serverUrl), {
      authProvider: client,
    })
    await user.connect(transport)
    expect((await user.listTools()).tools.map(({ name }) => name)).toContain('fetch')
    await user.close()
    const tokens = client.tokens()
    const token = tokens && 'access_token' in tokens ? tokens.access_token : ''
    const { body } = await ask(`${host.url}/data/api/v1/me`, {
      headers: { authorization: `Bearer ${token}` },
    })
    accounts.push(body.data.account)
  }
  expect(new Set(accounts).size).toBe(2)
})

test('a client that has a document registers nowhere, and its address is its name', async () => {
  const { url } = documented
  const address = 'https://client.example/seine.json'
  const client = new Kept('https://client.example/callback', address)
  const back = await allowed(client, await signUp('ann@example.com', { url }), { url })
  expect([back.origin, back.pathname]).toEqual(['https://client.example', '/callback'])
  expect(client.address?.searchParams.get('client_id')).toBe(address)
  const serverUrl = `${url}/data/mcp`
  const authorizationCode = back.searchParams.get('code') ?? ''
  expect(await auth(client, { serverUrl, authorizationCode })).toBe('AUTHORIZED')
  const user = new Client({ name: 'test', version: '1' })
  await user.connect(
    new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: client }),
  )
  expect((await user.listTools()).tools.length).toBe(6)
  await user.close()
})

test('a code without its verifier, another resource, another callback and a private document are refused', async () => {
  const cookie = await signUp('eve@example.com')
  const client = new Kept()
  const back = await allowed(client, cookie)
  const { address } = client
  if (!address) throw new Error('The client has no address to send its user to')
  client.saveCodeVerifier('w'.repeat(43))
  const authorizationCode = back.searchParams.get('code') ?? ''
  await expect(
    auth(client, { serverUrl: `${host.url}/data/mcp`, authorizationCode }),
  ).rejects.toThrow(/verif|grant/i)
  const changed = (name: string, value: string | null): URL => {
    const url = new URL(address)
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
    return url
  }
  const errorOf = async (url: URL) => (await sentTo(url, cookie)).searchParams.get('error')
  expect(await errorOf(changed('code_challenge', null))).toBe('invalid_request')
  expect(await errorOf(changed('resource', 'https://other.example/mcp'))).toBe('invalid_target')
  expect(await errorOf(changed('redirect_uri', 'https://evil.example/'))).toBe('invalid_redirect')
  const inside = changed('client_id', 'https://127.0.0.1/client.json')
  expect((await ask(inside, { headers: { cookie } })).body.error).toBe('invalid_client')
})

test('a visitor signs up on the way from a client, and the next time signs in', async () => {
  const values = { email: 'cleo@example.com', password: PASSWORD }
  const serverUrl = `${host.url}/data/mcp`
  const ways = [
    ['/sign-up', { name: 'Cleo', ...values }],
    ['/login', values],
  ] as const
  for (const [path, fields] of ways) {
    const client = new Kept()
    await auth(client, { serverUrl })
    if (!client.address) throw new Error('The client has no address to send its user to')
    const browser = new Browser(host.url)
    const login = await browser.follow(client.address)
    expect(login.pathname).toBe('/login')
    // Both pages lead to each other, with the query of the client.
    const page = new URL(path + login.search, host.url)
    const wrong = path === '/login' ? 'not the password' : 'short'
    expect(await browser.submit(page, { ...fields, password: wrong })).toBeNull()
    expect(browser.said).toMatch(/password/i)
    const consent = await browser.submit(page, fields)
    expect(consent?.pathname).toBe('/consent')
    const back = consent && (await browser.submit(consent, {}))
    expect(back?.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/)
    const authorizationCode = back?.searchParams.get('code') ?? ''
    expect(await auth(client, { serverUrl, authorizationCode })).toBe('AUTHORIZED')
  }
})

test('behind a proxy, all addresses are those that people know', async () => {
  const origin = 'https://data.example.com'
  const { url } = proxied
  const fetchFn: Fetch = (address, init) => {
    const { origin: requested, pathname, search } = new URL(address)
    if (requested !== origin) throw new Error(`${requested} is an address that nobody else knows`)
    return fetch(url + pathname + search, init)
  }
  const client = new Kept()
  const serverUrl = `${origin}/data/mcp`
  expect(await auth(client, { serverUrl, fetchFn })).toBe('REDIRECT')
  if (!client.address) throw new Error('The client has no address to send its user to')
  const browser = new Browser(origin, fetchFn)
  const { search } = await browser.follow(client.address)
  const values = { name: 'Ann', email: 'ann@example.com', password: PASSWORD }
  const consent = await browser.submit(new URL(`/sign-up${search}`, origin), values)
  const back = consent && (await browser.submit(consent, {}))
  const authorizationCode = back?.searchParams.get('code') ?? ''
  expect(await auth(client, { serverUrl, authorizationCode, fetchFn })).toBe('AUTHORIZED')
  const user = new Client({ name: 'test', version: '1' })
  await user.connect(
    new StreamableHTTPClientTransport(new URL(serverUrl), {
      authProvider: client,
      fetch: fetchFn,
    }),
  )
  expect((await user.listTools()).tools.length).toBe(6)
  await user.close()
})
