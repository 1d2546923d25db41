import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startShop, type Shop } from '../../examples/demo/shop.ts'
import { start as startExpress } from '../../examples/express/server.ts'
import { start as startHono } from '../../examples/hono/server.ts'
import { start as startNodeHttp } from '../../examples/node-http/server.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

interface Host {
  readonly url: string
  /** Headers of the credential that this host accepts. */
  readonly headers: Record<string, string>
  close(): Promise<void>
}

const options = { port: 0, allowPrivateNetwork: true }
const HOSTS: [name: string, start: () => Promise<Host>][] = [
  ['node-http', async () => withKey(await startNodeHttp(options))],
  ['hono', async () => withKey(await startHono(options))],
  [
    'express',
    async () => {
      const { url, cookie, close } = await startExpress(options)
      return { url, headers: { cookie }, close }
    },
  ],
]
const withKey = ({ url, key, close }: { url: string; key: string; close(): Promise<void> }): Host => ({ url, headers: { authorization: `Bearer ${key}` }, close })

interface Answer {
  readonly success: boolean
  readonly data: { readonly id: string; readonly status: string; readonly items: readonly unknown[]; readonly counters: { readonly rows: number } }
  readonly error?: { readonly code: string }
}

describe.each(HOSTS)('the platform mounted in %s', (_, startHost) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
  })
  afterAll(() => host.close())

  const call = async (path: string, body?: object): Promise<{ status: number; answer: Answer }> => {
    const init = body ? { method: 'POST', headers: { ...host.headers, 'content-type': 'application/json' }, body: JSON.stringify(body) } : { headers: host.headers }
    const response = await fetch(`${host.url}/data${path}`, init)
    const answer: Answer = JSON.parse(await response.text())
    return { status: response.status, answer }
  }

  test('leaves the routes beside it alone', async () => {
    const response = await fetch(host.url)
    expect(await response.text()).toBe('The pages of your own site')
  })

  test('wants a credential', async () => {
    const response = await fetch(`${host.url}/data/api/v1/tasks`)
    expect(response.status).toBe(401)
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/)
  })

  test('creates a task, runs it and gives its rows and its file', async () => {
    const recipe = {
      start: { urls: [`${shop.url}/category/pens`] },
      follow: [{ next: 'a.next' }],
      extract: { items: '.product', fields: { name: 'h2', price: { css: '.price', as: 'number' } } },
    }
    const task = await call('/api/v1/tasks', { name: 'Pens', recipe })
    expect(task.status).toBe(201)
    const started = await call(`/api/v1/tasks/${task.answer.data.id}/executions`, {})
    expect(started.status).toBe(201)
    const id = started.answer.data.id
    await expect.poll(async () => (await call(`/api/v1/executions/${id}`)).answer.data.status, { timeout: 15_000, interval: 50 }).toBe('succeeded')
    const results = await call(`/api/v1/executions/${id}/results?limit=100`)
    expect(results.answer.data.items).toEqual(shop.categories[1]?.products.map(({ name, price }) => expect.objectContaining({ name, price })))

    const file = await fetch(`${host.url}/data/api/v1/executions/${id}/results/export?format=csv`, { headers: host.headers })
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename=/)
    expect((await file.text()).trim().split('\r\n')).toHaveLength(21)
  })

  test('names what is wrong', async () => {
    const { status, answer } = await call('/api/v1/tasks', { name: 'x', recipe: { start: { urls: [`${shop.url}/`] }, extract: { fields: { a: 'h1[' } } } })
    expect([status, answer.error?.code]).toEqual([400, 'BAD_REQUEST'])
  })
})
