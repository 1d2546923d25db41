import { getActiveResourcesInfo } from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { ownTurn, SliceScheduler } from '../../../src/kernel/pace.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves on by `ms`: each due sleeper wakes at its own time, and its effects settle before the
   * next one wakes.
   */
  advance(ms: number): Promise<void>
  /**
   * Jumps to the next sleeper whenever no other work goes on, until `promise` has settled; returns
   * its outcome. Throws if it can only hang.
   */
  runUntil<T>(promise: Promise<T>): Promise<T>
  /** The present number of sleepers. */
  readonly sleeping: number
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/**
 * Turns of the event loop without any sleeper and without an outcome, after which a promise counts
 * as stuck.
 */
const MOST_IDLE_TURNS = 20_000

/**
 * Turns without work, after which everything counts as at rest. Long work leaves some turns to
 * others between its slices (src/kernel/pace.ts), which Node does not show.
 */
const QUIET_TURNS = 8

/** `start`: Unix milliseconds. `mostIdle`: turns after which a promise counts as stuck. */
export function createFakeClock(
  start = Date.UTC(2026, 0, 1),
  mostIdle = MOST_IDLE_TURNS,
): FakeClock {
  let now = start
  const sleepers = new Set<Sleeper>()

  /** The first sleeper to wake; among equals the one that began first, as sets keep their order. */
  const next = (until: number): Sleeper | undefined => {
    let first: Sleeper | undefined
    for (const sleeper of sleepers)
      if (sleeper.at <= until && (!first || sleeper.at < first.at)) first = sleeper
    return first
  }
  const wake = (sleeper: Sleeper): void => {
    now = Math.max(now, sleeper.at)
    sleepers.delete(sleeper)
    sleeper.wake()
  }

  return {
    now: () => now,
    get sleeping() {
      return sleepers.size
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const onAbort = (): void => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          at: now + Math.max(ms, 0),
          wake: () => {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    async advance(ms) {
      const end = now + ms
      await settle()
      for (let sleeper = next(end); sleeper; sleeper = next(end)) {
        wake(sleeper)
        await settle()
      }
      now = end
    },
    async runUntil(promise) {
      let settled = false
      const outcome = promise.finally(() => {
        settled = true
      })
      // The outcome is returned below; this only prevents that a rejection counts as unhandled
      // meanwhile.
      outcome.catch(() => undefined)
      let idle = 0
      for (;;) {
        await settle()
        if (settled) return outcome
        const sleeper = next(Number.POSITIVE_INFINITY)
        if (sleeper) wake(sleeper)
        else if (++idle > mostIdle)
          throw new Error('Nothing sleeps and the promise does not settle')
        if (sleeper) idle = 0
      }
    },
  }
}

/**
 * Waits until everything that needs no clock is at rest: promise jobs, loading modules, and running
 * file, DNS, crypto and compression work.
 */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS;) {
    await turn()
    quiet = isWorking() ? 0 : quiet + 1
  }
}

/** Running work that Node does not count among its resources. */
let unseen = 0

/**
 * Does work that Node does not show, such as a wait for an answer over a socket; no clock moves
 * meanwhile.
 */
export async function underWay<T>(work: () => Promise<T>): Promise<T> {
  unseen++
  try {
    return await work()
  } finally {
    unseen--
  }
}

// WebCrypto works on other threads.
for (const name of ['decrypt', 'digest', 'encrypt', 'importKey', 'sign', 'verify'] as const) {
  const original: unknown = Reflect.get(SubtleCrypto.prototype, name)
  if (typeof original !== 'function') throw new Error(`WebCrypto has no ${name}`)
  Reflect.defineProperty(SubtleCrypto.prototype, name, {
    configurable: true,
    writable: true,
    value(this: SubtleCrypto, ...args: unknown[]): Promise<unknown> {
      return underWay(async () => Reflect.apply(original, this, args))
    },
  })
}

/** The scheduler of all work in slices: the first whose work waits, see below. */
const slices = new Set<unknown>()
const wait: unknown = Reflect.get(SliceScheduler.prototype, 'wait')
if (typeof wait !== 'function') throw new Error('The scheduler of slices has no wait')
// Work that waits for its next slice is not a resource of Node. Several such works wait for one another,
// for more turns than those after which everything counts as at rest.
Reflect.defineProperty(SliceScheduler.prototype, 'wait', {
  configurable: true,
  writable: true,
  value(this: SliceScheduler, ...args: unknown[]): Promise<unknown> {
    if (slices.size === 0) slices.add(this)
    const waiting = async (): Promise<unknown> => Reflect.apply(wait, this, args)
    return slices.has(this) ? underWay(waiting) : waiting()
  },
})
void ownTurn()

/** Imports of Vitest, which asks another process for modules; Node does not show that work. */
const loading = modulesUnderWay()

function modulesUnderWay(): ReadonlySet<unknown> {
  const worker: unknown = Reflect.get(globalThis, '__vitest_worker__')
  const modules: unknown = worker instanceof Object ? Reflect.get(worker, 'resolvingModules') : null
  if (!(modules instanceof Set))
    throw new Error('Vitest does not tell which modules are on their way')
  return modules
}

function isWorking(): boolean {
  return (
    unseen > 0 ||
    loading.size > 0 ||
    getActiveResourcesInfo().some((name) => /req|request|job|zlib|write/i.test(name))
  )
}
