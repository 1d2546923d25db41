import { expect, it } from 'vitest'
import { createServiceHost } from '../support/worlds/service-host.ts'

const ORIGIN = 'https://app.example'
const listed = await createServiceHost({
  cors: { origins: [ORIGIN, 'http://localhost:5173'], credentials: true, maxAgeSeconds: 60 },
})

it('a page of a listed origin may read an answer, with cookies, and headers that it may ask for', async () => {
  const { headers } = await listed.send('GET', '/api/v1/tasks', { headers: { Origin: ORIGIN } })
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
    headers.get('vary')?.split(', ').includes('Origin'),
  ]).toEqual([ORIGIN, 'true', true])
  const preflight = await listed.send('OPTIONS', '/api/v1/tasks', {
    headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' },
    key: null,
  })
  expect([preflight.status, preflight.headers.get('access-control-max-age')]).toEqual([204, '60'])
})

it('a page of another origin can read nothing, and Vary tells caches why', async () => {
  for (const origin of [
    'https://evil.example',
    'https://app.example.evil.example',
    'null',
    'http://app.example',
    'https://app.example:8443',
  ]) {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await listed.send(method, '/api/v1/tasks', {
        headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
      })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(headers.get('vary')).toContain('Origin')
    }
  }
})

it('any origin may be allowed, but not with cookies', async () => {
  const { send } = await createServiceHost({ cors: { origins: '*' } })
  const { headers } = await send('GET', '/api/v1/tasks', {
    headers: { Origin: 'https://any.example' },
  })
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
    headers.get('vary'),
  ]).toEqual(['*', null, null])
  await expect(createServiceHost({ cors: { origins: '*', credentials: true } })).rejects.toThrow(
    TypeError,
  )
})

it('the origin of an extension may be listed', async () => {
  const { send } = await createServiceHost({ cors: { origins: ['chrome-extension://abcdefgh'] } })
  expect(
    (
      await send('GET', '/api/v1/tasks', { headers: { Origin: 'chrome-extension://abcdefgh' } })
    ).headers.get('access-control-allow-origin'),
  ).toBe('chrome-extension://abcdefgh')
})

it.each(['https://app.example/', 'app.example', 'https://*.example', 'https://APP.example', ''])(
  '%j is refused as an origin, as no browser would send it',
  async (origin) => {
    await expect(createServiceHost({ cors: { origins: [origin] } })).rejects.toThrow(TypeError)
  },
)
