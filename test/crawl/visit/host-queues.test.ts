import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HostQueues } from '../../../src/crawl/visit/host-queues.ts'
import { EachItsOwn } from '../../../src/crawl/visit/capacity.ts'
import type { Capacity, WorkerPlace } from '../../../src/crawl/visit/capacity.ts'
import { ConcurrencyTokens } from '../../../src/crawl/shared/concurrency-tokens.ts'

interface Task {
  readonly url: string
  readonly isFirst: boolean
}
interface Given {
  readonly task: Task
  readonly place: WorkerPlace
  readonly token: number | null
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), host: fc.nat(5), isFirst: fc.boolean() }),
  fc.record({ kind: fc.constant('give' as const) }),
  fc.record({
    kind: fc.constant('done' as const),
    which: fc.nat(30),
    wait: fc.constantFrom(0, 0, 5),
    spacing: fc.constantFrom(0, 0, 0, 5),
  }),
  fc.record({ kind: fc.constant('lost' as const), place: fc.nat(2) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(4) }),
)
const hostOf = (task: Task): string => new URL(task.url).host
const isOf =
  (host: string) =>
  (given: Given): boolean =>
    hostOf(given.task) === host

it.each<[string, () => Capacity<WorkerPlace>]>([
  ['two pages in each', () => new EachItsOwn(2)],
  ['four in all', () => new ConcurrencyTokens(4)],
  ['one in all', () => new ConcurrencyTokens(1)],
])(
  'a host, and a token, is with one place at a time, hosts keep their distance, and every page is given once: %s',
  (_, open) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const places: WorkerPlace[] = Array.from({ length: 3 }, () => ({
          ahead: 2,
          out: 0,
          hosts: 0,
          tokens: 0,
        }))
        const capacity = open()
        capacity.spread(places.length)
        const queues = new HostQueues<WorkerPlace, Task>(capacity, 0)
        const spacing = new Map<string, number>()
        const next = new Map<string, number>()
        let out: Given[] = []
        let waiting: Task[] = []
        let now = 0
        let seq = 0
        let finished = 0

        const add = (task: Task): void => {
          waiting.push(task)
          queues.add(task, task.isFirst)
        }
        const give = (): boolean => {
          const given = queues.next(places, now)
          if (!given) return false
          const host = hostOf(given.task)
          const others = out.filter(isOf(host))
          expect(others.every(({ place }) => place === given.place)).toBe(true)
          // A host of which nothing is known, or that wants a distance, has one page out.
          if (others.length > 0) expect(spacing.get(host)).toBe(0)
          expect(next.get(host) ?? 0).toBeLessThanOrEqual(now)
          waiting = waiting.filter((task) => task !== given.task)
          expect(
            given.task.isFirst || !waiting.some((task) => task.isFirst && hostOf(task) === host),
          ).toBe(true)
          const token = capacity.take(given.place)
          expect(
            out.every(
              (other) => token === null || other.token !== token || other.place === given.place,
            ),
          ).toBe(true)
          out.push({ ...given, token })
          expect(
            out.filter((other) => token !== null && other.token === token).length,
          ).toBeLessThanOrEqual(2)
          if (capacity instanceof ConcurrencyTokens)
            expect(token).toBeLessThan(capacity.concurrency)
          expect(given.place.out).toBe(out.filter(({ place }) => place === given.place).length)
          expect(given.place.out).toBeLessThanOrEqual(2 * (token === null ? 2 : given.place.tokens))
          return true
        }
        const done = (given: Given, turn: { next: number; spacing: number }): void => {
          out = out.filter((one) => one !== given)
          finished++
          spacing.set(hostOf(given.task), turn.spacing)
          next.set(hostOf(given.task), Math.max(next.get(hostOf(given.task)) ?? 0, turn.next))
          queues.done(given.task.url, turn)
          capacity.free(given.token)
        }

        for (const one of steps) {
          if (one.kind === 'add')
            add({ url: `https://h${one.host}.example.com/${seq++}`, isFirst: one.isFirst })
          else if (one.kind === 'give') give()
          else if (one.kind === 'pass') now += one.ms
          else if (one.kind === 'done') {
            const given = out[one.which % Math.max(1, out.length)]
            if (given) done(given, { next: now + one.wait, spacing: one.spacing })
          } else {
            const gone = places[one.place]
            const lost = out.filter(({ place }) => place === gone)
            out = out.filter(({ place }) => place !== gone)
            for (const { task, token } of lost) {
              capacity.free(token)
              next.set(
                hostOf(task),
                Math.max(next.get(hostOf(task)) ?? 0, now + (spacing.get(hostOf(task)) ?? 0)),
              )
              queues.lost(task.url, now)
              add(task)
            }
          }
        }
        for (let rounds = 0; ; rounds++) {
          if (finished === seq) break
          expect(rounds).toBeLessThan(5_000)
          while (give());
          const [given] = out
          if (given) done(given, { next: now, spacing: 0 })
          else now += 1
        }
        expect(places).toEqual(places.map(() => ({ ahead: 2, out: 0, hosts: 0, tokens: 0 })))
      }),
    )
  },
)
