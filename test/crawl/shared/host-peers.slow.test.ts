import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConcurrencyTokens, EachItsOwn } from '../../../src/crawl/shared/capacity.ts'
import type { Capacity } from '../../../src/crawl/shared/capacity.ts'
import { HostPeers } from '../../../src/crawl/shared/host-peers.ts'
import { createPeer } from '../../../src/crawl/shared/peers.ts'
import type { Peer } from '../../../src/crawl/shared/peers.ts'
import { HostQueues } from '../../../src/crawl/shared/host-queues.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

interface Request {
  readonly url: string
  readonly isFirst: boolean
}
interface Given {
  readonly request: Request
  readonly peer: Peer
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
  fc.record({ kind: fc.constant('lost' as const), peer: fc.nat(2) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(4) }),
)
const hostOf = (request: Request): string => new URL(request.url).host
const isOf =
  (host: string) =>
  (assignment: Given): boolean =>
    hostOf(assignment.request) === host

it.each<[string, () => Capacity]>([
  ['two pages in each', () => new EachItsOwn(2)],
  ['four in all', () => new ConcurrencyTokens(4)],
  ['one in all', () => new ConcurrencyTokens(1)],
])(
  'each host and each token is with one peer at a time, hosts keep their delay, and every page is visited once: %s',
  (_, open) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const idle = [null, 'b', 'c'].map((name) => ({ ...createPeer(name), ahead: 2 }))
        const peers = idle.map((peer) => ({ ...peer }))
        const [here = createPeer(null), ...helpers] = peers
        const capacity = open()
        const clock = { now: () => now, sleep: () => Promise.resolve() }
        const politeness = createPoliteness({ clock, delayMs: 0 })
        const hosts = new HostPeers({ capacity, here, politeness, clock })
        hosts.arrange(helpers)
        const queues = new HostQueues<Request>({
          waitOf: (request) => hosts.waitOf(request),
        })
        const spacing = new Map<string, number>()
        const next = new Map<string, number>()
        let out: Given[] = []
        let waiting: Request[] = []
        let now = 0
        let seq = 0
        let finished = 0

        const add = (request: Request): void => {
          waiting.push(request)
          queues.add(request, request.isFirst)
        }
        const give = (): boolean => {
          const request = hosts.hasRoom ? queues.next() : null
          if (!request) return false
          const assignment = { request, ...hosts.give(request) }
          const host = hostOf(assignment.request)
          const others = out.filter(isOf(host))
          expect(others.every(({ peer }) => peer === assignment.peer)).toBe(true)
          // Only one page at a time is visited of a host that is unknown or that wants a delay.
          if (others.length > 0) expect(spacing.get(host)).toBe(0)
          expect(next.get(host) ?? 0).toBeLessThanOrEqual(now)
          waiting = waiting.filter((other) => other !== request)
          expect(
            request.isFirst || !waiting.some((other) => other.isFirst && hostOf(other) === host),
          ).toBe(true)
          const { token } = assignment
          expect(
            out.every(
              (other) => token === null || other.token !== token || other.peer === assignment.peer,
            ),
          ).toBe(true)
          out.push(assignment)
          expect(
            out.filter((other) => token !== null && other.token === token).length,
          ).toBeLessThanOrEqual(2)
          if (capacity instanceof ConcurrencyTokens)
            expect(token).toBeLessThan(capacity.concurrency)
          expect(assignment.peer.out).toBe(
            out.filter(({ peer }) => peer === assignment.peer).length,
          )
          expect(assignment.peer.out).toBeLessThanOrEqual(
            2 * (token === null ? 2 : assignment.peer.tokens),
          )
          return true
        }
        const done = (assignment: Given, timing: { next: number; spacing: number }): void => {
          out = out.filter((one) => one !== assignment)
          finished++
          spacing.set(hostOf(assignment.request), timing.spacing)
          next.set(
            hostOf(assignment.request),
            Math.max(next.get(hostOf(assignment.request)) ?? 0, timing.next),
          )
          hosts.done(assignment.request.url, assignment.token, timing)
        }

        for (const one of steps) {
          if (one.kind === 'add')
            add({ url: `https://h${one.host}.example.com/${seq++}`, isFirst: one.isFirst })
          else if (one.kind === 'give') give()
          else if (one.kind === 'pass') now += one.ms
          else if (one.kind === 'done') {
            const assignment = out[one.which % Math.max(1, out.length)]
            if (assignment) done(assignment, { next: now + one.wait, spacing: one.spacing })
          } else {
            const leaver = peers[one.peer]
            const lost = out.filter(({ peer }) => peer === leaver)
            out = out.filter(({ peer }) => peer !== leaver)
            for (const { request, token } of lost) {
              next.set(
                hostOf(request),
                Math.max(next.get(hostOf(request)) ?? 0, now + (spacing.get(hostOf(request)) ?? 0)),
              )
              hosts.lost(request.url, token)
              add(request)
            }
          }
        }
        for (let rounds = 0; ; rounds++) {
          if (finished === seq) break
          expect(rounds).toBeLessThan(5_000)
          while (give());
          const [assignment] = out
          if (assignment) done(assignment, { next: now, spacing: 0 })
          else now += 1
        }
        expect(peers).toEqual(idle)
      }),
    )
  },
)

it('no peer requests a host that asked one process for a pause, and other hosts are requested meanwhile', async () => {
  const clock = createFakeClock()
  const here = createPeer(null)
  const politeness = createPoliteness({ clock, delayMs: 1_000 })
  const hosts = new HostPeers({ capacity: new EachItsOwn(8), here, politeness, clock })
  hosts.arrange([createPeer('b')])
  const queues = new HostQueues<{ url: string }>({
    waitOf: (request) => hosts.waitOf(request),
  })
  politeness.finished('https://a/', { status: 429, retryAfterMs: 5_000 })
  for (const url of ['https://a/1', 'https://b/1']) queues.add({ url })
  const next = queues.next()
  expect(next).toEqual({ url: 'https://b/1' })
  expect(hosts.give({ url: 'https://b/1' })).toEqual({ peer: here, token: null })
  expect(politeness.nextDelay('https://b/2')).toBe(1_000)
  expect([queues.next(), queues.size]).toEqual([null, 1])
  expect(() => hosts.give({ url: 'https://a/1' })).toThrow('may not be asked now')
  await clock.advance(5_000)
  expect(queues.next()).toEqual({ url: 'https://a/1' })
})
