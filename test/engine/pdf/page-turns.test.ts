import { afterEach, expect, test, vi } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { OperatorCount } from '../../../src/engine/pdf/operator-count.ts'
import { PageTurns } from '../../../src/engine/pdf/page-turns.ts'

// Sinks of pdf.js are ready once the event loop had its turn.

afterEach(() => void vi.restoreAllMocks())

type Handle = (data: unknown, sink: { ready: Promise<string> }) => unknown

/** Registers as pdf.js does, and returns the handler. */
class Handlers {
  readonly all = new Map<string, Handle>()
  on(action: string, handle: Handle): void {
    this.all.set(action, handle)
  }
}

function registered(steps: number, action: string, handle: Handle): Handle {
  const turns = new PageTurns(new OperatorCount(PageBudget.forDocument({ steps, bytes: 1_000 })))
  const handlers = new Handlers()
  const { on } = Handlers.prototype
  turns.within(Handlers.prototype, () => handlers.on(action, handle))
  expect(Handlers.prototype.on).toBe(on)
  return handlers.all.get(action) ?? handle
}

test('a sink gives a turn soon, also where the clock stands still while code runs', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(5)
  const own = Promise.resolve('own')
  let waits: Promise<string>[] = []
  const handle: Handle = (_, sink) => {
    const later = Promise.resolve('later')
    waits = Array.from({ length: 10 }, () => sink.ready)
    sink.ready = later
    waits.push(sink.ready)
  }
  registered(10_000, 'GetTextContent', handle)(null, { ready: own })
  expect(waits.filter((wait) => wait === own).length).toBeLessThan(10)
  expect(waits.filter((wait) => wait === own).length).toBeGreaterThan(0)
  expect(new Set(await Promise.all(waits.slice(0, 10)))).toEqual(new Set(['own']))
  expect(await waits.at(-1)).toBe('later')
})

test('a sink fails once the budget of the page is used up', async () => {
  const handle: Handle = (_, sink) => Array.from({ length: 3 }, () => sink.ready)
  const waits = registered(5, 'GetOperatorList', handle)(null, { ready: Promise.resolve('own') })
  const results = await Promise.allSettled(Array.isArray(waits) ? waits : [])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('other requests are answered as they were', () => {
  const handle: Handle = () => null
  expect(registered(1_000, 'GetPage', handle)).toBe(handle)
})
