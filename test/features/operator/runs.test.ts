import { expect, test } from 'vitest'
import { MINUTE_MS } from '../../../src/kernel/time.ts'
import { openOperatorRecords } from '../../../src/features/operator/records.ts'
import { Change } from '../../../src/records/change.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { moveExecution } from '../../../src/features/executions/lifecycle.ts'
import { createOperatorHost } from '../../support/worlds/operator-host.ts'

const REASON = { reason: 'A customer has called' }

/** A host with a queued run of `acme`, whose job is in the queue, and a live worker. */
async function withRun() {
  const operators = await createOperatorHost()
  const { host, ask } = operators
  const { records, clock } = host
  const { id } = await host.executionWith([])
  const commit = async (add: (change: Change) => void) => {
    const change = new Change()
    add(change)
    expect(await records.commit(change)).toBe(true)
  }
  const run = async () => {
    const stored = await records.executions.get('acme', id)
    if (!stored) throw new Error('gone')
    return stored
  }
  const jobOf = async () => `run:${id}:${(await run()).value.updatedAt}`
  /** Moves the outbox to the queue, as there is no worker here. */
  const push = async (facts = {}) => {
    const job = await jobOf()
    await commit((change) => {
      records.outbox.drop(change, SYSTEM, job)
      records.jobs.insert(change, SYSTEM, {
        id: job,
        kind: 'execution',
        data: { account: 'acme', execution: id },
        lane: 'long',
        dueAt: clock.now(),
        ready: true,
        attempt: 0,
        lease: null,
        ...facts,
      })
    })
  }
  const beWorker = () =>
    commit((change) =>
      openOperatorRecords(host.store).workers.put(change, SYSTEM, {
        id: 'worker_1',
        startedAt: clock.now(),
        aliveAt: clock.now(),
        jobs: [{ id, kind: 'execution', account: 'acme', execution: id, since: clock.now() }],
        holds: 1,
      }),
    )
  const move = async (to: 'running' | 'paused', code?: string) => {
    const stored = await run()
    await commit((change) =>
      moveExecution(records, change, 'acme', stored, to, {
        now: clock.now(),
        ...(code && { reason: { code, message: code } }),
      }),
    )
  }
  const stuck = async () => {
    const { body } = await ask('GET', '/stuck')
    return body.data.items.map((item: { id: string; stuck: { code: string } }) => {
      expect(item.id).toBe(id)
      return item.stuck.code
    })
  }
  return { ...operators, id, commit, run, jobOf, push, beWorker, move, stuck, clock, records }
}

test('a run that is queued for a minute shows what it waits for', async () => {
  const { clock, stuck, beWorker, push, commit, jobOf, records } = await withRun()
  await clock.advance(MINUTE_MS - 1)
  expect(await stuck()).toEqual([])
  await clock.advance(1)
  expect(await stuck()).toEqual(['no_worker'])
  await beWorker()
  expect(await stuck()).toEqual(['waiting'])
  await push({ lost: ['a', 'b'] })
  expect(await stuck()).toEqual(['job_suspect'])
  const change = async (facts: object) => {
    const job = await records.jobs.get(SYSTEM, await jobOf())
    if (!job) throw new Error('gone')
    const { lost: _, ...bare } = job.value
    await commit((write) => records.jobs.update(write, SYSTEM, job, { ...bare, ...facts }))
  }
  await change({ attempt: 3, dueAt: clock.now() + 5_000 })
  expect(await stuck()).toEqual(['job_retried'])
  await change({ attempt: 0, dueAt: clock.now() })
  expect(await stuck()).toEqual(['waiting'])
  await change({ lease: 'token' })
  expect(await stuck()).toEqual([])
})

test('a run whose job was lost is listed, and goes on when it is released', async () => {
  const { host, ask, id, clock, stuck, beWorker, commit, jobOf, records } = await withRun()
  const lost = await jobOf()
  await commit((change) => records.outbox.drop(change, SYSTEM, lost))
  await beWorker()
  await clock.advance(MINUTE_MS)
  expect(await stuck()).toEqual(['job_lost'])
  const released = await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)
  expect([released.status, released.body.data.status]).toEqual([200, 'queued'])
  expect(await stuck()).toEqual([])
  expect(await jobOf()).not.toBe(lost)
  expect(await records.outbox.get(SYSTEM, await jobOf())).not.toBeNull()
  expect(host.calls.woken).toBeGreaterThan(1)
  expect((await ask('GET', '/log')).body.data.items).toMatchObject([
    { operation: 'operator.release', account: 'acme', subject: id, detail: { from: 'queued' } },
  ])
})

test('a running run is listed if its worker has gone, or if it settles no page', async () => {
  const { clock, stuck, commit, move, id, records, ask } = await withRun()
  await move('running')
  const heart = (until: number) =>
    commit((change) =>
      records.heartbeats.put(change, 'acme', { execution: id, holder: 'w1', until }),
    )
  await heart(clock.now() + 30_000)
  expect(await stuck()).toEqual([])
  await clock.advance(30_000 + MINUTE_MS + 1)
  expect(await stuck()).toEqual(['worker_gone'])
  await heart(clock.now() + 30 * MINUTE_MS)
  expect(await stuck()).toEqual([])
  await clock.advance(15 * MINUTE_MS)
  expect(await stuck()).toEqual(['no_progress'])
  await commit((change) => records.fences.put(change, 'acme', { execution: id, holder: 'w1' }))
  await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)
  // Its former worker can commit nothing more.
  expect(await records.fences.get('acme', id)).toBeNull()
  expect(await records.heartbeats.get('acme', id)).toBeNull()
})

test('a run that a suspension paused can be released; one that its owner paused cannot', async () => {
  const { stuck, move, id, ask } = await withRun()
  await move('paused', 'account_suspended')
  await ask('POST', '/accounts/acme/suspend', REASON)
  expect(await stuck()).toEqual([])
  expect((await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)).status).toBe(409)
  await ask('POST', '/accounts/acme/resume', REASON)
  expect(await stuck()).toEqual(['left_paused'])
  const first = await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)
  expect(first.body.data).toMatchObject({ status: 'queued', reason: null })
  await move('paused')
  expect(await stuck()).toEqual([])
  const second = await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)
  expect([second.status, second.body.error.code]).toEqual([409, 'CONFLICT'])
})

test('a run is cancelled, its credits return, and a second cancel changes nothing', async () => {
  const { host, id, ask } = await withRun()
  const cancel = () => ask('POST', `/accounts/acme/runs/${id}/cancel`, REASON)
  expect((await cancel()).body.data.status).toBe('cancelled')
  expect((await cancel()).status).toBe(200)
  const { body } = await host.call('GET', '/api/v1/billing/balance')
  expect(body.data.credits.held).toBe(0)
  expect((await ask('POST', `/accounts/acme/runs/${id}/release`, REASON)).status).toBe(409)
  expect((await ask('POST', `/accounts/beta/runs/${id}/cancel`, REASON)).status).toBe(404)
  const acts = (await ask('GET', '/log?sort=createdAt')).body.data.items
  expect(acts.map(({ changed }: { changed: boolean }) => changed)).toEqual([true, false])
})

test('runs of all accounts are listed by account, each newest first, with pages of any size', async () => {
  const { host, all } = await createOperatorHost()
  const expected: string[] = []
  for (const account of ['beta', 'delta', 'gamma']) {
    const key = await host.keyOf(account)
    const own: string[] = []
    for (let count = 0; count < 3; count++) {
      await host.clock.advance(1)
      const body = { recipe: { start: { urls: ['https://shop.example.com/'] } } }
      const started = await host.call('POST', '/api/v1/executions', { key, body })
      own.unshift(`${account} ${started.body.data.id}`)
    }
    expected.push(...own)
    // Between them is an account without a run.
    await host.keyOf(`${account}-idle`)
  }
  for (const limit of [1, 2, 4, 100]) {
    const { items } = await all(`/runs?limit=${limit}`)
    expect(items.map(({ id, account }) => `${account} ${id}`)).toEqual(expected)
    const queued = await all(`/runs?limit=${limit}&status=queued`)
    expect(queued.items).toEqual(items)
    const one = await all(`/runs?limit=${limit}&account=delta`)
    expect(one.items.map(({ account }) => account)).toEqual(['delta', 'delta', 'delta'])
  }
  expect((await all('/runs?status=failed')).items).toEqual([])
})

test('workers and health are shown', async () => {
  const { ask, beWorker, push, clock, id } = await withRun()
  expect((await ask('GET', '/workers')).body.data).toEqual({ workers: [] })
  await push()
  await beWorker()
  await clock.advance(2_000)
  const { body } = await ask('GET', '/workers')
  expect(body.data.workers).toMatchObject([
    { id: 'worker_1', holds: 1, jobs: [{ kind: 'execution', account: 'acme', execution: id }] },
  ])
  const health = (await ask('GET', '/health')).body.data
  expect(health).toMatchObject({ ok: true, workers: 1, version: DEFAULT_INFO.version })
  expect(health.queue).toEqual([
    { lane: 'short', depth: 0, ageMs: 0 },
    { lane: 'remote', depth: 0, ageMs: 0 },
    { lane: 'long', depth: 1, ageMs: 2_000 },
  ])
})
