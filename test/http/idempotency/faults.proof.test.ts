import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Platform } from '../../../src/platform/options.ts'
import { EffectCounter } from '../../support/worlds/effect-counter.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS, FaultStore, playEach } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OPERATOR_SCENARIOS } from '../../support/worlds/operator-scenarios.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import { WRITE_SCENARIOS } from '../../support/worlds/write-scenarios.ts'
import type { WriteScenario } from '../../support/worlds/write-scenarios.ts'

const LEASE_MS = 60_000
const SCENARIOS: Readonly<Record<string, WriteScenario>> = {
  ...WRITE_SCENARIOS,
  ...OPERATOR_SCENARIOS,
}
const operations = Object.keys(SCENARIOS)
const scenarioOf = (operation: string): WriteScenario =>
  SCENARIOS[operation] ?? expect.fail(operation)

interface Got {
  readonly status: number
  readonly replayed: boolean
  readonly etag: string | null
  readonly body: string
}

/** A world in which one write waits to be asked for. */
async function prepare({ collection, prepare: makeRequest }: WriteScenario) {
  const clock = createFakeClock()
  const store = new EffectCounter(createMemoryStore({ clock }))
  const world = createWorld({}, { clock, store, operator: true })
  const scopes = ['*', 'operator']
  const { secret } = await world.platform.api.keys.create(
    { ...OWNER, scopes },
    { name: 'caller', scopes },
  )
  const { method, path, body } = await makeRequest(world)
  const ask = async (platform: Platform): Promise<Got> => {
    const headers = {
      'X-API-Key': secret,
      'Idempotency-Key': 'key-1',
      'Content-Type': 'application/json',
    }
    const response = await platform.fetch(
      new Request(`http://host.test${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed') === 'true',
      etag: response.headers.get('etag'),
      body: await response.text(),
    }
  }
  // Not effects of the request: the first use of an API key is noted in its record, and the first
  // stored answer makes a secret.
  await world.platform.fetch(
    new Request('http://host.test/api/v1/tasks/none', {
      method: 'DELETE',
      headers: { 'X-API-Key': secret, 'Idempotency-Key': 'first' },
    }),
  )
  const before = store.of(collection)
  return { clock, store, world, ask, effects: () => store.of(collection) - before }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/**
 * A reasonable client: it tries again until it has an answer. A running request ends with its lease
 * at the latest.
 */
async function insist({ ask, clock, world }: Prepared): Promise<Got> {
  for (let tried = 0; tried < 5; tried++) {
    const answer = await ask(world.platform)
    if (answer.status < 300) return answer
    expect(answer.status).toBe(409)
    await clock.advance(LEASE_MS)
  }
  return expect.fail('no answer')
}

async function sendWithFault(
  operation: string,
  k: number,
  fault: Fault,
): Promise<{ fired: boolean; broken: [] }> {
  const prepared = await prepare(scenarioOf(operation))
  const { store, world, ask, effects } = prepared
  const faulty = new FaultStore(store, k, fault, {
    // While this process hangs, its lease ends, and the client tries another one.
    onStall: async () => {
      await prepared.clock.advance(LEASE_MS)
      expect((await insist(prepared)).status).toBeLessThan(300)
    },
  })
  const first = await ask(world.join(faulty))
  const second = await insist(prepared)
  const third = await insist(prepared)
  const label = `${operation}, commit ${k}, ${fault}: ${first.status}`
  expect(effects(), label).toBe(1)
  expect(third, label).toEqual({ ...second, replayed: true })
  if (first.status < 300)
    expect({ ...first, replayed: true }, label).toEqual({ ...second, replayed: true })
  // The commit is looked up, so that a lost answer of the store is not a lost answer of ours.
  else if (fault === 'fail-after') expect.fail(label)
  else expect([409, 500], label).toContain(first.status)
  return { fired: faulty.fired, broken: [] }
}

it('every write of the route table is tried', async () => {
  const { routes } = await createServiceHost({ operator: true })
  expect(operations.toSorted()).toEqual(
    routes
      .filter(({ method, repeatable }) => method !== 'GET' && !repeatable)
      .map(({ operation }) => operation)
      .toSorted(),
  )
})

const nameOf = (operation: string): string => operation

describe('every write with an Idempotency-Key has its effect once', () => {
  it.each(FAULTS)('when any of its commits has the fault %s', async (fault) => {
    const failing = await failingCases(operations, nameOf, async (operation) => {
      const { scenarios } = await playEach(fault, (k) => sendWithFault(operation, k, fault))
      // At least the reservation and the effect.
      expect(scenarios).toBeGreaterThan(1)
    })
    expect(failing).toEqual([])
  })

  it('when it is sent many times at once, to several processes', async () => {
    const failing = await failingCases(operations, nameOf, async (operation) => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(fc.boolean(), { minLength: 2, maxLength: 8 }),
          async (scheduler, here) => {
            const prepared = await prepare(scenarioOf(operation))
            const { store, world, ask, effects } = prepared
            const slow = {
              get: scheduler.scheduleFunction(store.get),
              list: scheduler.scheduleFunction(store.list),
              commit: scheduler.scheduleFunction(store.commit),
              close: store.close,
            }
            const platforms = [world.join(slow), world.join(slow)] as const
            const answering = Promise.all(here.map((first) => ask(platforms[first ? 0 : 1])))
            const all = await scheduler.waitFor(answering)
            const answered = all.filter(({ status }) => status < 300)
            const last = await insist(prepared)
            expect(effects()).toBe(1)
            expect(all.every(({ status }) => status < 300 || status === 409)).toBe(true)
            expect(answered.filter(({ replayed }) => !replayed).length).toBeLessThanOrEqual(1)
            for (const answer of answered) expect({ ...answer, replayed: true }).toEqual(last)
          },
        ),
        { numRuns: 15 },
      )
    })
    expect(failing).toEqual([])
  })
})
