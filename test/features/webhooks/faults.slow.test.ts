import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { moveExecution } from '../../../src/features/executions/lifecycle.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS, FaultStore, playEach, through } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { CheckedStore } from '../../support/worlds/invariants.ts'
import { LEASE_MS, OWNER } from '../../support/worlds/world.ts'
import { RECEIVER, createWebhookWorld, verify } from '../../support/worlds/webhook-world.ts'

const ALL = { limit: 1_000 }
const RECIPE = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1' } },
}

/**
 * Cancels an execution, with two webhooks for that event, one of which accepts the second attempt.
 * The k-th commit has a fault.
 */
async function cancelWithFault(
  k: number,
  fault: Fault,
  spoil: (store: Store) => Store = (store) => store,
): Promise<{ fired: boolean; broken: string[]; sent: number }> {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const broken = new Set<string>()
  const must = (holds: boolean, what: string) => void (holds || broken.add(what))
  const attempts = new Map<string, number>()
  const store = new CheckedStore(base, async () => {
    // After each commit there is no cause without its event, and no delivery is there twice.
    const [execution] = await world.records.executions.list(OWNER.account, ALL)
    const deliveries = await world.records.webhookDeliveries.list(OWNER.account, ALL)
    const events = [
      ...(await world.records.outbox.list(SYSTEM, ALL)),
      ...(await world.records.jobs.list(SYSTEM, ALL)),
    ].filter(({ value }) => value.kind === 'event')
    must(
      execution?.value.status !== 'cancelled' || events.length > 0 || deliveries.length === 2,
      'the end has no event',
    )
    must(
      execution?.value.status === 'cancelled' || (events.length === 0 && deliveries.length === 0),
      'an event has no cause',
    )
    for (const { value } of deliveries) {
      must(value.attempts.length >= (attempts.get(value.webhook) ?? 0), 'a delivery went back')
      attempts.set(value.webhook, value.attempts.length)
    }
    must(
      deliveries.length <= 2 &&
        new Set(deliveries.map(({ value }) => value.webhook)).size === deliveries.length,
      'a webhook has a delivery twice',
    )
  })
  const world = createWebhookWorld({
    clock,
    store,
    answer: ({ url }, nth) => ({ status: url === RECEIVER && nth <= 2 ? 500 : 200 }),
  })
  const hooks = [await world.add(), await world.add({ url: `${RECEIVER}/b` })]
  const task = await world.platform.api.tasks.create(OWNER, { recipe: RECIPE })
  const { id } = await world.platform.api.executions.start(OWNER, task.id)
  await world.platform.api.executions.pause(OWNER, id)
  await world.work()

  const recover = async () => {
    await clock.advance(2 * LEASE_MS)
    await world.platform.worker.tick()
  }
  const faulty = new FaultStore(spoil(store), k, fault, { onStall: recover })
  const broker = world.join(faulty)
  await clock.runUntil(broker.api.executions.cancel(OWNER, id).catch(() => undefined))
  await clock.runUntil(
    broker.worker.tick({ budgetMs: 20 * LEASE_MS, signal: faulty.death }).catch(() => undefined),
  )
  // If the cancel itself was lost, its caller tries again; live processes work on.
  await world.platform.api.executions.cancel(OWNER, id)
  for (let round = 0; round < 6; round++) {
    await clock.advance(20 * LEASE_MS)
    await world.work()
  }

  for (const { id: hook, secret, url } of hooks) {
    const [delivery, ...more] = await world.deliveries(hook)
    must(
      more.length === 0 && delivery?.status === 'succeeded',
      `${url}: ${delivery?.status ?? 'no delivery'}`,
    )
    const received = world.got.filter((one) => one.url === url)
    must(
      received.every((one) => verify(secret, one).id === `evt_${id}_cancelled`) &&
        new Set(received.map(({ body }) => body)).size === 1,
      'what was sent differs',
    )
    const attempted = delivery?.attempts.map((attempt) => JSON.stringify(attempt)) ?? []
    must(new Set(attempted).size === attempted.length, 'an attempt is noted twice')
    // Only an attempt whose result could not be written is made again.
    must(received.length <= (delivery?.attempts.length ?? 0) + 1, 'it was sent too often')
  }
  must(
    (await world.records.jobs.list(SYSTEM, ALL)).length === 0 &&
      (await world.records.outbox.list(SYSTEM, ALL)).length === 0,
    'something is left over',
  )
  return { fired: faulty.fired, broken: [...broken], sent: world.got.length }
}

const enumerate = (fault: Fault, spoil?: (store: Store) => Store) =>
  playEach(fault, (k) => cancelWithFault(k, fault, spoil))

const isOf =
  (collection: string, id = '') =>
  ({ key }: { readonly key: Key }): boolean =>
    key[1] === collection && String(key[2]).startsWith(id)

describe('from the move of an execution to the delivery', () => {
  it.each(FAULTS)(
    '%s at any commit leaves each webhook one delivery, which arrives',
    async (fault) => {
      const { scenarios, broken } = await enumerate(fault)
      expect(broken).toEqual([])
      // Commits for: the move, the push into the queue, fan-out to two, and two attempts, each with its
      // job taken and settled.
      expect(scenarios).toBeGreaterThan(15)
    },
  )

  it('without faults each attempt is sent once', async () => {
    expect(await cancelWithFault(1_000, 'fail-before')).toEqual({
      fired: false,
      broken: [],
      sent: 3,
    })
  })
})

describe('planted: the checks notice', () => {
  it('an event that is emitted after its cause', async () => {
    const spoil = (store: Store): Store =>
      through(store, async (change) => {
        const events = (change.set ?? []).filter(isOf('outbox', 'event:'))
        const isWritten = await store.commit({
          ...change,
          set: (change.set ?? []).filter((set) => !events.includes(set)),
        })
        if (isWritten && events.length > 0) await store.commit({ set: events })
        return isWritten
      })
    expect((await enumerate('crash-after', spoil)).broken).not.toEqual([])
  })

  it('a delivery whose job is pushed in a commit of its own', async () => {
    let isDead = false
    const spoil = (store: Store): Store =>
      through(store, async (change) => {
        const jobs = (change.set ?? []).filter(isOf('outbox', 'webhook:'))
        if (jobs.length === 0 || isDead) return store.commit(change)
        isDead = true
        return store.commit({
          ...change,
          set: (change.set ?? []).filter((set) => !jobs.includes(set)),
        })
      })
    expect((await cancelWithFault(1_000, 'crash-after', spoil)).broken).not.toEqual([])
  })

  it('a delivery that begins anew whenever its event comes', async () => {
    const spoil = (store: Store): Store =>
      through(store, (change) =>
        store.commit({
          ...change,
          check: (change.check ?? []).filter(
            (check) => !(check.version === null && isOf('webhook-deliveries')(check)),
          ),
        }),
      )
    const broken = [
      ...(await enumerate('stall-after', spoil)).broken,
      ...(await enumerate('crash-after', spoil)).broken,
    ]
    expect(broken).not.toEqual([])
  })
})

it('several workers together send no event twice', async () => {
  const world = createWebhookWorld({
    answer: async () => {
      await world.clock.sleep(700)
      return { status: 200 }
    },
  })
  const hooks = [await world.add(), await world.add({ url: `${RECEIVER}/b` })]
  for (let i = 0; i < 30; i++) await world.emit({ id: `evt_${i}` })
  const others = [world.join(), world.join()]
  await world.clock.runUntil(
    Promise.all([world.platform, ...others].map(({ worker }) => worker.tick())),
  )
  await world.playOn(hooks[0]?.id ?? '')
  await world.playOn(hooks[1]?.id ?? '')
  expect(world.got.length).toBe(60)
  expect(new Set(world.got.map(({ url, headers }) => `${url} ${headers['webhook-id']}`)).size).toBe(
    60,
  )
})

it('a move to an end sends no event if another process has made one before', async () => {
  const world = createWebhookWorld()
  const { id } = await world.add()
  const task = await world.platform.api.tasks.create(OWNER, { recipe: RECIPE })
  const execution = await world.platform.api.executions.start(OWNER, task.id)
  const stored = await world.records.executions.get(OWNER.account, execution.id)
  if (!stored) throw new Error('no such execution')
  const change = new Change()
  moveExecution(world.records, change, OWNER.account, stored, 'running', { now: world.clock.now() })
  await world.platform.api.executions.cancel(OWNER, execution.id)
  expect(await world.records.commit(change)).toBe(false)
  await world.work()
  expect((await world.deliveries(id)).map(({ type }) => type)).toEqual(['execution.cancelled'])
})
