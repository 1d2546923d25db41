import { expect, it } from 'vitest'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import { createPlatform } from '../../../src/platform/platform.ts'

// Proves that the description and its page follow the options of the host. Each platform makes a
// description of its own.
const silent = { debug() {}, info() {}, warn() {}, error() {} }

it('the reference is below the prefix of its host', async () => {
  const platform = createPlatform({ basePath: '/data', logger: silent })
  const get = async (path: string) => platform.fetch(new Request(`http://host.test${path}`))
  const { servers }: { servers: { url: string }[] } = await (
    await get('/data/api/v1/openapi.json')
  ).json()
  expect(new URL(servers[0]?.url ?? '', 'http://host.test/data/api/v1/openapi.json').href).toBe(
    'http://host.test/data/',
  )
  const link = /data-openapi href="([^"]+)"/.exec(await (await get('/data/docs')).text())?.[1] ?? ''
  expect((await get(new URL(link, 'http://host.test/data/docs').pathname)).status).toBe(200)
  await platform.close()
})

it('texts of the host are shown as text', async () => {
  const platform = createPlatform({
    openApi: { title: 'Pens & <script>alert(1)</script>', description: 'By "us"' },
    logger: silent,
  })
  const get = async (path: string) => platform.fetch(new Request(`http://host.test${path}`))
  expect((await (await get('/api/v1/openapi.json')).json()).info).toMatchObject({
    title: 'Pens & <script>alert(1)</script>',
    version: DEFAULT_INFO.version,
    description: expect.stringMatching(/^By "us"\n\n/),
  })
  const text = await (await get('/docs')).text()
  expect(text).toContain(
    '<title>Pens &amp; &lt;script&gt;alert(1)&lt;/script&gt; reference</title>',
  )
  expect(text.match(/<script>/g)).toHaveLength(1)
  await platform.close()
})

it('the description leaves out everything that the application has switched off', async () => {
  const pathsOf = async (options: Parameters<typeof createPlatform>[0]) => {
    const platform = createPlatform({ logger: silent, ...options })
    const answer = await platform.fetch(new Request('http://host.test/api/v1/openapi.json'))
    await platform.close()
    return Object.keys(((await answer.json()) as { paths: object }).paths)
  }
  const all = await pathsOf({})
  const some = await pathsOf({ plan: false, audit: false })
  expect(all.filter((path) => !some.includes(path))).toEqual([
    '/api/v1/executions/{id}/plan/steps',
    '/api/v1/audit',
    '/api/v1/audit/export',
  ])
  expect(some.filter((path) => !all.includes(path))).toEqual([])
})
