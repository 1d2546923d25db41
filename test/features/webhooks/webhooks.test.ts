import { describe, expect, it } from 'vitest'
import { Change } from '../../../src/records/change.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import { createWebhookWorld, verify } from '../../support/worlds/webhook-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const HOOKS = '/api/v1/webhooks'
const input = { url: 'https://hooks.example.com/', events: ['*'] }
const open = async () => {
  const host = await createServiceHost()
  return {
    ...host,
    add: async (more: object = {}) =>
      (await host.call('POST', HOOKS, { body: { ...input, ...more } })).body.data,
  }
}

describe('a webhook', () => {
  it('is added with a secret that is shown once, read, changed and deleted', async () => {
    const { call } = await open()
    const created = await call('POST', HOOKS, {
      body: { ...input, events: ['task.drift', 'task.drift'], description: 'to us' },
    })
    expect(created.status).toBe(201)
    const { secret, ...webhook } = created.body.data
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(webhook).toEqual({
      id: expect.stringMatching(/^hook_/),
      url: input.url,
      description: 'to us',
      events: ['task.drift'],
      taskIds: [],
      labels: [],
      enabled: true,
      disabledAt: null,
      disabledReason: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
    const url = `${HOOKS}/${webhook.id}`
    const read = await call('GET', url)
    expect(read.body.data).toEqual(webhook)
    const etag = read.headers.get('etag') ?? ''
    const changed = await call('PATCH', url, {
      body: { enabled: false, description: '' },
      headers: { 'If-Match': etag },
    })
    expect(changed.body.data).toEqual({
      ...webhook,
      description: '',
      enabled: false,
      disabledAt: '2026-01-01T00:00:00.000Z',
      disabledReason: 'requested',
    })
    for (const [method, path] of [
      ['PATCH', url],
      ['DELETE', url],
      ['POST', `${url}/rotate`],
    ] as const) {
      expect(
        (
          await call(method, path, {
            headers: { 'If-Match': etag },
            ...(method === 'PATCH' && { body: { description: 'late' } }),
          })
        ).status,
      ).toBe(412)
    }
    expect((await call('PATCH', url, { body: { enabled: true } })).body.data).toMatchObject({
      enabled: true,
      disabledAt: null,
      disabledReason: null,
    })
    expect((await call('DELETE', url)).body.data).toEqual({ id: webhook.id, deleted: true })
    expect((await call('GET', url)).status).toBe(404)
    expect((await call('GET', HOOKS)).body.data).toEqual({ items: [], nextCursor: null })
  })

  it('is refused if its URL may not be reached, and the error names the URL', async () => {
    const { add, call } = await open()
    const { id } = await add()
    const wrong = [
      'http://hooks.example.com/',
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest',
      'https://0x7f.1/',
      'https://intranet/',
      'https://db.internal/',
      'https://user:word@hooks.example.com/',
      'https://hooks.example.com:6379/',
      'ftp://hooks.example.com/',
      'javascript:alert(1)',
      'hooks.example.com',
      ' ',
    ]
    for (const url of wrong) {
      for (const [method, path] of [
        ['POST', HOOKS],
        ['PATCH', `${HOOKS}/${id}`],
      ] as const) {
        const answer = await call(method, path, {
          body: method === 'POST' ? { ...input, url } : { url },
        })
        expect([url, answer.status, answer.body.error.issues?.[0]?.path]).toEqual([url, 400, 'url'])
      }
    }
    expect((await call('GET', `${HOOKS}/${id}`)).body.data.url).toBe(input.url)
  })

  it('is refused with unknown types of events, or tasks of other accounts', async () => {
    const { call, keyOf } = await open()
    const task = (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data
      .id
    const issueOf = async (body: object, key?: string) =>
      (
        await call('POST', HOOKS, {
          body: { ...input, ...body },
          ...(key !== undefined && { key }),
        })
      ).body.error?.issues[0]?.path
    expect(await issueOf({ events: ['execution.finished'] })).toBe('events.0')
    expect(await issueOf({ events: [] })).toBe('events')
    expect(await issueOf({ taskIds: [task, 'task_none'] })).toBe('taskIds.1')
    expect(await issueOf({ taskIds: [task] }, await keyOf('globex'))).toBe('taskIds.0')
    expect(await issueOf({ taskIds: [task] })).toBe(undefined)
    expect(await issueOf({ surprise: 1 })).toBe('surprise')
  })

  it('can be added up to twenty, also by calls at the same time', async () => {
    const { call, records } = await open()
    const all = await Promise.all(
      Array.from({ length: 40 }, () => call('POST', HOOKS, { body: input })),
    )
    const count = async () => (await records.webhooks.list('acme', { limit: 100 })).length
    expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(await count()).toBe(all.filter(({ status }) => status === 201).length)
    while ((await count()) < 20)
      expect((await call('POST', HOOKS, { body: input })).status).toBe(201)
    const full = await call('POST', HOOKS, { body: input })
    expect([full.status, full.body.error.message]).toEqual([409, expect.stringContaining('20')])
    const [first] = await records.webhooks.list('acme', { limit: 1 })
    expect((await call('DELETE', `${HOOKS}/${first?.value.id}`)).status).toBe(200)
    expect((await call('POST', HOOKS, { body: input })).status).toBe(201)
    const pages = await call('GET', `${HOOKS}?limit=15`)
    const rest = await call('GET', `${HOOKS}?limit=15&cursor=${pages.body.data.nextCursor}`)
    expect([...pages.body.data.items, ...rest.body.data.items].length).toBe(20)
    expect(rest.body.data.nextCursor).toBe(null)
  })
})

describe('the delivery log', () => {
  it('lists only deliveries of its webhook, newest first, by state, page after page', async () => {
    const { add, call, clock } = await open()
    const [{ id }, other] = [await add(), await add()]
    const sent: string[] = []
    for (let i = 0; i < 5; i++) {
      await clock.advance(1)
      const answer = await call('POST', `${HOOKS}/${id}/test`)
      expect([answer.status, answer.body.data.status, answer.body.data.type]).toEqual([
        201,
        'pending',
        'webhook.test',
      ])
      sent.unshift(answer.body.data.id)
    }
    const idsOf = async (query: string) => {
      const { items, nextCursor } = (await call('GET', `${HOOKS}/${id}/deliveries?${query}`)).body
        .data
      return { ids: items.map((one: { id: string }) => one.id), nextCursor }
    }
    expect((await idsOf('')).ids).toEqual(sent)
    const { ids, nextCursor } = await idsOf('limit=2&status=pending')
    expect([...ids, ...(await idsOf(`limit=100&status=pending&cursor=${nextCursor}`)).ids]).toEqual(
      sent,
    )
    expect((await idsOf('status=failed')).ids).toEqual([])
    expect((await call('GET', `${HOOKS}/${id}/deliveries?cursor=${nextCursor}`)).status).toBe(400)
    expect((await call('GET', `${HOOKS}/${other.id}/deliveries`)).body.data.items).toEqual([])
    for (const wrong of [
      `${HOOKS}/${other.id}/deliveries/${sent[0]}`,
      `${HOOKS}/${id}/deliveries/dlv_0_evt_x`,
      `${HOOKS}/${id}/deliveries/${sent[0]}x`,
      `${HOOKS}/${id}/deliveries/dlv_`,
      `${HOOKS}/hook_none/deliveries/${sent[0]}`,
    ]) {
      expect([wrong, (await call('POST', `${wrong}/redeliver`)).status]).toEqual([wrong, 404])
    }
  })

  it('sends no test and no redelivery to a disabled webhook', async () => {
    const { add, call } = await open()
    const { id } = await add()
    const delivery = (await call('POST', `${HOOKS}/${id}/test`)).body.data.id
    await call('PATCH', `${HOOKS}/${id}`, { body: { enabled: false } })
    for (const path of ['test', `deliveries/${delivery}/redeliver`]) {
      const answer = await call('POST', `${HOOKS}/${id}/${path}`)
      expect([answer.status, answer.body.error.message]).toEqual([
        409,
        'The webhook is disabled; enable it first',
      ])
    }
  })
})

it('a ping is sent whatever the types of the webhook, and is verified like any event', async () => {
  const world = createWebhookWorld()
  const { id, secret } = await world.add({ events: ['balance.low'], description: 'mine' })
  await world.webhooks.test(OWNER, id)
  await world.work()
  expect(world.got.map((delivery) => verify(secret, delivery))).toMatchObject([
    { type: 'webhook.test', data: { webhook: { id, description: 'mine' } } },
  ])
})

it('a secret that can no longer be opened is reported as missing, until it is rotated', async () => {
  const world = createWebhookWorld()
  const { id } = await world.add()
  const stored = await world.records.webhooks.get(OWNER.account, id)
  if (!stored) throw new Error('no such webhook')
  const change = new Change()
  world.records.webhooks.update(change, OWNER.account, stored, {
    ...stored.value,
    secrets: [{ sealed: 'AAAA', until: null }],
  })
  await world.records.commit(change)
  await world.emit()
  await world.work()
  expect((await world.deliveries(id))[0]?.attempts.map(({ error }) => error)).toEqual(['no_secret'])
  expect(world.got).toEqual([])
  const { secret } = await world.webhooks.rotate(OWNER, id)
  await world.playOn(id)
  expect(world.got.map((delivery) => verify(secret, delivery).id)).toEqual(['evt_1'])
})

it('secrets are only in the two answers that give them', async () => {
  const world = createWebhookWorld({ answer: (_, nth) => ({ status: nth % 2 === 0 ? 200 : 500 }) })
  const first = await world.add()
  const second = await world.webhooks.rotate(OWNER, first.id)
  await world.emit()
  await world.work()
  await world.playOn(first.id)
  await world.webhooks.update(OWNER, first.id, { description: 'x' })
  await world.webhooks.test(OWNER, first.id)
  await world.work()
  const seen = JSON.stringify([
    await world.webhooks.list(OWNER),
    await world.webhooks.get(OWNER, first.id),
    await world.deliveries(first.id),
    world.logged,
    world.got,
    await world.store.list({ prefix: [OWNER.account], limit: 1_000 }),
    await world.store.list({ prefix: ['~'], limit: 1_000 }),
    await world.webhooks.delete(OWNER, first.id),
  ])
  for (const { secret } of [first, second]) {
    expect(secret.length).toBe(50)
    expect(seen).not.toContain(secret)
    expect(seen).not.toContain(secret.slice('whsec_'.length))
    expect(seen).not.toContain(
      Buffer.from(secret.slice('whsec_'.length), 'base64').toString('base64url'),
    )
  }
  expect(world.got.length).toBeGreaterThan(2)
})
