import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../src/records/collection.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import { RECEIVER, createWebhookWorld, verify } from '../../support/worlds/webhook-world.ts'
import { createStoreQueue } from '../../../src/defaults/store-queue.ts'
import { createOutbox } from '../../../src/worker/outbox.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { loseWorkers } from '../../support/stores/lose-workers.ts'

const DAY = 86_400_000

describe('an event', () => {
  it('is sent to every webhook that wants it, once, signed with the secret of the webhook', async () => {
    const world = createWebhookWorld()
    const all = await world.add()
    const some = await world.add({
      url: `${RECEIVER}/some`,
      events: ['dataset.changed', 'task.drift'],
    })
    await world.add({ url: `${RECEIVER}/other`, events: ['task.drift'] })
    await world.add({ url: `${RECEIVER}/off`, enabled: false })
    await world.emit()
    await world.work()
    expect(world.got.map(({ url }) => url).toSorted()).toEqual([RECEIVER, `${RECEIVER}/some`])
    for (const delivery of world.got) {
      const { secret } = delivery.url === RECEIVER ? all : some
      expect(verify(secret, delivery)).toEqual({
        id: 'evt_1',
        type: 'dataset.changed',
        timestamp: '2026-01-01T00:00:00.000Z',
        data: { dataset: 'ds_1' },
      })
      expect(() => verify(delivery.url === RECEIVER ? some.secret : all.secret, delivery)).toThrow(
        'No signature',
      )
      expect(delivery.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
      })
    }
    // A second delivery of the job, as after a crash, changes nothing.
    await world.emit({ at: Date.UTC(2026, 0, 1) })
    await world.work()
    expect(world.got.length).toBe(2)
    expect(await world.records.jobs.list(SYSTEM, { limit: 5 })).toEqual([])
  })

  it('is sent to webhooks with a choice of tasks if it is about one of them, or about no task', async () => {
    const world = createWebhookWorld()
    const recipe = { start: { urls: ['https://shop.example.com/'] } }
    const [labelled, plain, other] = [
      await world.platform.api.tasks.create(OWNER, { recipe, labels: ['shop'] }),
      await world.platform.api.tasks.create(OWNER, { recipe }),
      await world.platform.api.tasks.create(OWNER, { recipe }),
    ]
    await world.add({ url: `${RECEIVER}/label`, labels: ['shop'] })
    await world.add({ url: `${RECEIVER}/task`, taskIds: [plain.id] })
    await world.add({ url: `${RECEIVER}/both`, taskIds: [plain.id], labels: ['shop'] })
    const toldOf = async (id: string, taskId?: string | null) => {
      world.got.length = 0
      await world.emit({ id, ...(taskId !== undefined && { taskId }) })
      await world.work()
      return world.got.map(({ url }) => url.slice(RECEIVER.length + 1)).toSorted()
    }
    expect(await toldOf('evt_a', labelled.id)).toEqual(['both', 'label'])
    expect(await toldOf('evt_b', plain.id)).toEqual(['both', 'task'])
    expect(await toldOf('evt_c', other.id)).toEqual([])
    expect(await toldOf('evt_d', null)).toEqual([])
    expect(await toldOf('evt_e', 'task_gone')).toEqual([])
    expect(await toldOf('evt_f')).toEqual(['both', 'label', 'task'])
  })

  it('of another account is not sent', async () => {
    const world = createWebhookWorld()
    await world.add()
    await world.emit({ account: 'globex' })
    await world.work()
    expect(world.got).toEqual([])
  })
})

it('an event whose job has lost its worker three times is told some minutes later', async () => {
  const world = createWebhookWorld()
  await world.add()
  await world.emit()
  const queue = createStoreQueue({ ...world, random: seededRandom(1) })
  await createOutbox(world.records, queue, world.clock).drain()
  await loseWorkers(world.store, 'event', ['one', 'two', 'three'], world.clock.now())
  await world.work()
  expect(world.got).toEqual([])
  await world.clock.advance(600_000)
  await world.work()
  expect(world.got).toHaveLength(1)
})

describe('an execution', () => {
  const SITE = 'https://shop.example.com/'
  const recipe = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }
  const eventsOf = async (world: ReturnType<typeof createWorld>) =>
    (
      await world.platform.api.webhooks.deliveries(
        OWNER,
        (await world.platform.api.webhooks.list(OWNER)).items[0]?.id ?? '',
      )
    ).items
      .map(({ payload }) => JSON.parse(JSON.stringify(payload)))
      .toReversed()
  const open = async (pages: Parameters<typeof createWorld>[0]) => {
    const world = createWorld(pages)
    await world.platform.api.webhooks.create(OWNER, {
      url: 'https://hooks.example.com/',
      events: [
        'execution.started',
        'execution.succeeded',
        'execution.failed',
        'execution.cancelled',
      ],
    })
    return world
  }

  it('emits events when it begins and ends, with the data of a read at that time', async () => {
    const world = await open({ [SITE]: '<h1>Pens</h1>' })
    const id = await world.start(recipe)
    await world.work()
    const [started, ended, ...more] = await eventsOf(world)
    const execution = await world.read(id)
    expect(more).toEqual([])
    expect(started).toMatchObject({
      id: `evt_${id}_started`,
      type: 'execution.started',
      timestamp: started.data.execution.updatedAt,
      data: { execution: { id, status: 'running', finishedAt: null, counters: { fetched: 0 } } },
    })
    expect(ended).toEqual({
      id: `evt_${id}_succeeded`,
      type: 'execution.succeeded',
      timestamp: execution.updatedAt,
      data: { execution },
    })
    expect(execution.counters).toMatchObject({ fetched: 1, rows: 1 })
  })

  it('emits one event of its begin, however often it is paused and resumed', async () => {
    const world = await open({ [SITE]: '<h1>Pens</h1>' })
    const id = await world.start(recipe)
    for (let i = 0; i < 2; i++) {
      await world.platform.api.executions.pause(OWNER, id)
      await world.platform.api.executions.resume(OWNER, id)
    }
    await world.work()
    expect((await eventsOf(world)).map(({ type }) => type)).toEqual([
      'execution.started',
      'execution.succeeded',
    ])
  })

  it('that times out emits a failure with the reason', async () => {
    const world = await open({ [SITE]: 'down' })
    const id = await world.start({ ...recipe, budget: { seconds: 1 } })
    await world.work()
    const { status } = await world.read(id)
    const last = (await eventsOf(world)).at(-1)
    expect(['timed_out', 'failed']).toContain(status)
    expect(last).toMatchObject({ type: 'execution.failed', data: { execution: { id, status } } })
  })

  it('that is cancelled before its begin emits only the cancel event', async () => {
    const world = await open({})
    const id = await world.start(recipe)
    await world.platform.api.executions.cancel(OWNER, id)
    await world.platform.api.executions.cancel(OWNER, id)
    await world.work()
    expect((await eventsOf(world)).map(({ type }) => type)).toEqual(['execution.cancelled'])
  })
})

describe('a delivery that fails', () => {
  it('is tried again over three days: the same body and id, signed anew, until it is given up', async () => {
    const world = createWebhookWorld({
      answer: () => ({ status: 500, body: 'internal secrets of the receiver' }),
    })
    const { id, secret } = await world.add()
    await world.emit()
    await world.work()
    await world.playOn(id)
    const [delivery] = await world.deliveries(id)
    expect(delivery).toMatchObject({ status: 'failed', nextAttemptAt: null })
    expect(
      delivery?.attempts.map(({ number, httpStatus, error }) => ({ number, httpStatus, error })),
    ).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ number: i + 1, httpStatus: 500, error: 'http_500' })),
    )
    const waits = world.got
      .slice(1)
      .map(({ at }, i) => Math.round((at - (world.got[i]?.at ?? 0)) / 1_000))
    const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    waits.forEach((wait, i) => {
      expect(wait).toBeGreaterThanOrEqual(planned[i] ?? 0)
      expect(wait).toBeLessThanOrEqual((planned[i] ?? 0) * 1.2 + 1)
    })
    expect(new Set(world.got.map(({ body }) => body)).size).toBe(1)
    expect(new Set(world.got.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
    for (const request of world.got) {
      expect(verify(secret, request).id).toBe('evt_1')
      expect(Number(request.headers['webhook-timestamp'])).toBe(Math.floor(request.at / 1_000))
    }
    // Nobody can read the answer of a receiver.
    expect(
      JSON.stringify([
        await world.store.list({ prefix: [OWNER.account], limit: 1_000 }),
        world.logged,
      ]),
    ).not.toContain('internal secrets')
    expect((await world.webhooks.get(OWNER, id)).enabled).toBe(true)
  })

  it('arrives when the receiver is back', async () => {
    const world = createWebhookWorld({ answer: (_, nth) => ({ status: nth < 4 ? 503 : 200 }) })
    const { id } = await world.add()
    await world.emit()
    await world.work()
    await world.playOn(id)
    const [delivery] = await world.deliveries(id)
    expect([delivery?.status, delivery?.attempts.map(({ error }) => error)]).toEqual([
      'succeeded',
      ['http_503', 'http_503', 'http_503', null],
    ])
    expect(await world.records.webhookFailures.get(OWNER.account, id)).toBe(null)
    expect(await world.records.jobs.list(SYSTEM, { limit: 5 })).toEqual([])
  })

  it('waits as long as the receiver asks, within reason', async () => {
    for (const [retryAfter, waited] of [
      ['3600', 3_600_000],
      ['999999999', DAY],
      ['soon', 5_000],
      ['1', 5_000],
    ] as const) {
      const world = createWebhookWorld({
        answer: (_, nth) =>
          nth === 1 ? { status: 429, headers: { 'retry-after': retryAfter } } : {},
      })
      const { id } = await world.add()
      await world.emit()
      await world.work()
      await world.playOn(id)
      const wait = (world.got[1]?.at ?? 0) - (world.got[0]?.at ?? 0)
      expect(wait).toBeGreaterThanOrEqual(waited)
      expect(wait).toBeLessThanOrEqual(waited * 1.2 + 1)
    }
  })

  it('shows its reason, and follows no redirect', async () => {
    const cases: [error: string, answer: Parameters<typeof createWebhookWorld>[0]][] = [
      [
        'http_302',
        {
          answer: () => ({ status: 302, headers: { location: 'https://elsewhere.example.com/' } }),
        },
      ],
      ['http_404', { answer: () => ({ status: 404 }) }],
      [
        'timeout',
        {
          answer: (_got, _nth, { signal }) =>
            new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(new Error('aborted'))),
            ),
        },
      ],
      ['refused', { dns: { 'hooks.example.com': [['10.0.0.7']] } }],
    ]
    for (const [error, options] of cases) {
      const world = createWebhookWorld(options)
      const { id } = await world.add()
      await world.emit()
      await world.work()
      expect((await world.deliveries(id))[0]?.attempts.map((attempt) => attempt.error)).toEqual([
        error,
      ])
      expect(world.fetcher.sent.every(({ url }) => url.href === RECEIVER)).toBe(true)
    }
  })

  it('because its name now resolves to a private address sends nothing there', async () => {
    const world = createWebhookWorld({
      answer: () => ({ status: 500 }),
      dns: {
        'hooks.example.com': [
          ['93.184.216.34'],
          ['93.184.216.34', '169.254.169.254'],
          ['127.0.0.1'],
        ],
      },
    })
    const { id } = await world.add()
    await world.emit()
    await world.work()
    await world.playOn(id, 2)
    expect((await world.deliveries(id))[0]?.attempts.map(({ error }) => error)).toEqual([
      'http_500',
      'refused',
      'refused',
    ])
    expect(world.got.length).toBe(1)
  })
})

describe('a webhook that cannot be reached', () => {
  it('is disabled at once by 410, and the others get an event', async () => {
    const world = createWebhookWorld({
      answer: ({ url }) => ({ status: url.endsWith('/gone') ? 410 : 200 }),
    })
    const disabled = await world.add({ url: `${RECEIVER}/gone` })
    const other = await world.add()
    await world.emit()
    await world.work()
    expect(await world.webhooks.get(OWNER, disabled.id)).toMatchObject({
      enabled: false,
      disabledAt: '2026-01-01T00:00:00.000Z',
      disabledReason: 'gone',
    })
    expect(await world.deliveries(disabled.id)).toMatchObject([
      { status: 'failed', nextAttemptAt: null },
    ])
    const notices = world.got
      .filter(({ url }) => url === RECEIVER)
      .map((delivery) => verify(other.secret, delivery))
      .filter(({ type }) => type === 'webhook.disabled')
    expect(notices).toMatchObject([
      { data: { webhook: { id: disabled.id, disabledReason: 'gone' } } },
    ])
    expect(world.got.filter(({ url }) => url.endsWith('/gone')).length).toBe(1)
    expect(world.logged.filter((line) => line.startsWith('A webhook was disabled'))).toHaveLength(1)
    expect(world.logged.join()).not.toContain(RECEIVER)
  })

  it('is disabled when deliveries have failed for days, and counts anew when it is enabled', async () => {
    let isDown = true
    const world = createWebhookWorld({ answer: () => ({ status: isDown ? 500 : 200 }) })
    const { id } = await world.add()
    await world.emit({ id: 'evt_a' })
    await world.work()
    await world.playOn(id)
    expect(await world.webhooks.get(OWNER, id)).toMatchObject({ enabled: true })
    await world.emit({ id: 'evt_b' })
    await world.work()
    await world.playOn(id)
    expect(await world.webhooks.get(OWNER, id)).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    })
    await world.emit({ id: 'evt_c' })
    await world.work()
    expect((await world.deliveries(id)).map(({ eventId, status }) => [eventId, status])).toEqual([
      ['evt_b', 'failed'],
      ['evt_a', 'failed'],
    ])
    const [, first] = await world.deliveries(id)
    await expect(world.webhooks.redeliver(OWNER, id, first?.id ?? '')).rejects.toMatchObject({
      code: 'CONFLICT',
    })

    expect(await world.webhooks.update(OWNER, id, { enabled: true })).toMatchObject({
      enabled: true,
      disabledAt: null,
      disabledReason: null,
    })
    await world.emit({ id: 'evt_d' })
    await world.work()
    await world.playOn(id)
    expect(await world.webhooks.get(OWNER, id)).toMatchObject({ enabled: true })
    isDown = false
    await world.webhooks.redeliver(OWNER, id, first?.id ?? '')
    await world.work()
    expect((await world.deliveries(id)).find(({ eventId }) => eventId === 'evt_a')).toMatchObject({
      status: 'succeeded',
    })
  })

  it('gets no waiting delivery after its owner has disabled or deleted it', async () => {
    for (const way of ['disable', 'delete'] as const) {
      const world = createWebhookWorld({ answer: () => ({ status: 500 }) })
      const { id } = await world.add()
      await world.emit()
      await world.work()
      if (way === 'disable') await world.webhooks.update(OWNER, id, { enabled: false })
      else await world.webhooks.delete(OWNER, id)
      await world.clock.advance(10_000)
      await world.work()
      expect(world.got.length).toBe(1)
      expect(await world.records.jobs.list(SYSTEM, { limit: 5 })).toEqual([])
      if (way === 'disable')
        expect((await world.deliveries(id))[0]).toMatchObject({
          status: 'failed',
          nextAttemptAt: null,
        })
    }
  })
})

describe('redelivery', () => {
  it('sends the same body under the same id at once, and starts no second series of attempts', async () => {
    let status = 500
    const world = createWebhookWorld({ answer: () => ({ status }) })
    const { id } = await world.add()
    await world.emit()
    await world.work()
    const [waiting] = await world.deliveries(id)
    expect(waiting?.status).toBe('pending')
    status = 200
    expect(await world.webhooks.redeliver(OWNER, id, waiting?.id ?? '')).toMatchObject({
      status: 'pending',
      id: waiting?.id,
    })
    await world.work()
    expect(world.got.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1'])
    expect(world.got[0]?.body).toBe(world.got[1]?.body)
    await world.clock.advance(10 * DAY)
    await world.work()
    expect(world.got.length).toBe(2)
    await world.webhooks.redeliver(OWNER, id, waiting?.id ?? '')
    await world.work()
    expect(
      (await world.deliveries(id))[0]?.attempts.map(({ number, error }) => [number, error]),
    ).toEqual([
      [1, 'http_500'],
      [2, null],
      [3, null],
    ])
    expect(await world.records.jobs.list(SYSTEM, { limit: 5 })).toEqual([])
  })
})

it('a rotated secret signs beside the new one for a day, or ends at once', async () => {
  const world = createWebhookWorld()
  const first = await world.add()
  const { id } = first
  const second = await world.webhooks.rotate(OWNER, id)
  const knows = async (event: string) => {
    await world.emit({ id: event })
    await world.work()
    const delivery = world.got.at(-1) ?? expect.fail('nothing was sent')
    return [first, second, third]
      .filter((one) => one !== null)
      .map(({ secret }) => {
        try {
          return verify(secret, delivery).id === event
        } catch {
          return false
        }
      })
  }
  let third: Awaited<ReturnType<typeof world.add>> | null = null
  expect(await knows('evt_a')).toEqual([true, true])
  await world.clock.advance(DAY)
  expect(await knows('evt_b')).toEqual([false, true])
  third = await world.webhooks.rotate(OWNER, id, { overlapSeconds: 0 })
  expect(await knows('evt_c')).toEqual([false, false, true])
})

it('deliveries are deleted a month after their event', async () => {
  const world = createWebhookWorld()
  const { id } = await world.add()
  await world.emit()
  await world.work()
  await world.clock.advance(30 * DAY - 1)
  expect(await world.deliveries(id)).toHaveLength(1)
  await world.clock.advance(1)
  expect(await world.deliveries(id)).toEqual([])
})
