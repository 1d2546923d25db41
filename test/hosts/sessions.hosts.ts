import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOSTS } from './hosts.ts'
import { HostProject } from './project.ts'
import { startHost } from './start-host.ts'
import type { RunningHost } from './start-host.ts'

let project: HostProject
let host: RunningHost
beforeAll(async () => {
  const [example] = HOSTS.filter(({ file }) => file === 'better-auth.ts')
  if (!example) throw new Error('There is no example with sessions')
  project = await HostProject.create()
  host = await startHost(example, await project.add('sessions', null))
})
afterAll(async () => {
  host?.terminate()
  await host?.ended
  await project.remove()
})

/** Signs up and gives the cookie of the session. */
async function signUp(email: string): Promise<string> {
  const response = await fetch(`${host.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: host.url },
    body: JSON.stringify({ name: email, email, password: 'correct horse battery staple' }),
  })
  expect(response.status).toBe(200)
  const [session = ''] = response.headers.getSetCookie()
  expect(session).toMatch(/HttpOnly.*SameSite=Lax/i)
  return session.split(';')[0] ?? ''
}

async function createTask(headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({
    name: 'Mine',
    recipe: {
      start: { urls: ['https://shop.example.com/'] },
      extract: { fields: { title: 'h1' } },
    },
  })
  return (
    await fetch(`${host.url}/data/api/v1/tasks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  ).status
}

async function namesOf(cookie: string): Promise<string[]> {
  const answer: { readonly data: { readonly items: readonly { readonly name: string }[] } } =
    JSON.parse(await (await fetch(`${host.url}/data/api/v1/tasks`, { headers: { cookie } })).text())
  return answer.data.items.map(({ name }) => name)
}

test('each user who is signed in has tasks of their own', async () => {
  const [ann, bob] = [await signUp('ann@example.com'), await signUp('bob@example.com')]
  expect(await createTask({ cookie: ann, origin: host.url })).toBe(201)
  expect([await namesOf(ann), await namesOf(bob)]).toEqual([['Mine'], []])
})

test('a page of another site can write nothing, although the browser sends the cookie', async () => {
  const cookie = await signUp('eve@example.com')
  const forged = [
    { origin: 'https://evil.example.com' },
    { origin: 'null' },
    {},
    { origin: `${host.url}.evil.example.com` },
  ]
  expect(await Promise.all(forged.map((headers) => createTask({ cookie, ...headers })))).toEqual([
    401, 401, 401, 401,
  ])
  expect(await namesOf(cookie)).toEqual([])
})

test('a session may do what the host allows to sessions', async () => {
  const cookie = await signUp('kim@example.com')
  const keys = await fetch(`${host.url}/data/api/v1/keys`, { headers: { cookie } })
  expect([keys.status, keys.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('insufficient_scope'),
  ])
})

test('a session that has ended is refused', async () => {
  const cookie = await signUp('lea@example.com')
  const out = await fetch(`${host.url}/api/auth/sign-out`, {
    method: 'POST',
    headers: { cookie, origin: host.url, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(out.status).toBe(200)
  expect(await createTask({ cookie, origin: host.url })).toBe(401)
})
