import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WaitingPages } from '../../../src/crawl/visit/waiting-pages.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import { normalUrl } from '../../support/normal-url.ts'

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), host: fc.nat(5) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 4, 10) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('media' as const), host: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), which: fc.nat(9) }) },
)

it('each page comes once, in the order of its host and as soon as the host may be asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 150 }),
      fc.constantFrom(0, 3),
      // So long that three of them are many, and six are too many.
      fc.constantFrom(0, 9_000_000),
      fc.boolean(),
      async (steps, delayMs, padding, learns) => {
        let now = 0
        const clock = { now: () => now, sleep: () => Promise.resolve() }
        const politeness = createPoliteness({ clock, delayMs })
        const waiting = new WaitingPages({ politeness, clock, knownHosts: learns ? ['h0'] : null })
        const foundOn = 'x'.repeat(padding)
        const pages: FrontierRecord[] = []
        const hostOf = (seq: number): string => new URL(pages[seq]?.url ?? '').host
        /** The pages of each host that are not taken, and the hosts whose first page is visited. */
        const left = new Map<string, number[]>()
        const learned = new Set(['h0'])
        const alone = new Map<string, FrontierRecord>()
        const gone = new Set<number>()
        let ends: FrontierRecord[] = []
        let answer: (() => void) | null = null
        let reading: Promise<void> | null = null

        const isFree = (host: string): boolean =>
          !alone.has(host) && politeness.nextDelay(`https://${host}/`) === 0
        const rest = (): number[] => [...left.values()].flat()
        const firstFree = (): number | null => {
          const firsts = [...left].flatMap(([host, seqs]) => (isFree(host) ? seqs.slice(0, 1) : []))
          return firsts.length === 0 ? null : Math.min(...firsts)
        }
        const shortestWait = (): number =>
          Math.min(
            ...[...left.keys()]
              .filter((host) => !alone.has(host))
              .map((host) => politeness.nextDelay(`https://${host}/`)),
          )
        const check = (page: FrontierRecord, wasFree: boolean): void => {
          const host = hostOf(page.seq)
          expect(wasFree).toBe(true)
          expect(left.get(host)?.shift()).toBe(page.seq)
          if (!left.get(host)?.length) left.delete(host)
          if (learns && !learned.has(host)) alone.set(host, page)
          ends.push(page)
        }
        const next = (): FrontierRecord | null => {
          const isExact = !waiting.isLow && reading === null && gone.size === 0
          const expected = firstFree()
          const free = new Set([...left.keys()].filter(isFree))
          const page = waiting.next()
          if (isExact) expect(page?.seq ?? null).toBe(expected)
          if (page) check(page, free.has(hostOf(page.seq)))
          else if (isExact) expect(waiting.wait).toBe(shortestWait())
          return page
        }
        const ask = (): void => {
          if (reading || !waiting.isLow) return
          reading = waiting.fill(async (seqs) => {
            await new Promise<void>((resolve) => (answer = resolve))
            return seqs.map((seq) => {
              if (!gone.has(seq)) return pages[seq] ?? null
              const host = hostOf(seq)
              left.set(host, left.get(host)?.filter((other) => other !== seq) ?? [])
              if (!left.get(host)?.length) left.delete(host)
              return null
            })
          })
        }
        const finish = async (): Promise<void> => {
          answer?.()
          answer = null
          await reading
          reading = null
        }
        const end = (page: FrontierRecord | undefined): void => {
          if (!page) return
          ends = ends.filter((other) => other !== page)
          const host = hostOf(page.seq)
          const wasAlone = alone.get(host) === page
          expect(waiting.isAlone(page)).toBe(wasAlone)
          const wakes = waiting.visited(page)
          if (gone.size === 0) expect(wakes).toBe(wasAlone && left.has(host))
          if (!wasAlone) return
          alone.delete(host)
          learned.add(host)
        }

        for (const one of steps) {
          if (one.kind === 'pass') {
            const seq = pages.length
            const url = normalUrl(`https://h${one.host}/${seq}`)
            const entry = { execution: 'run', seq, url, label: 'start', depth: 0, hop: 1, foundOn }
            pages.push(entry)
            const host = hostOf(seq)
            const goes = isFree(host) && !left.has(host)
            left.set(host, [...(left.get(host) ?? []), seq])
            const page = waiting.pass(entry)
            expect(page !== null).toBe(goes)
            if (page) check(page, true)
          } else if (one.kind === 'next') next()
          else if (one.kind === 'time') now += one.ms
          else if (one.kind === 'ask') ask()
          else if (one.kind === 'answer') await finish()
          else if (one.kind === 'media') {
            politeness.reserve(`https://h${one.host}/m.png`)
            if (!waiting.isLow && !reading && gone.size === 0 && waiting.wait > 0)
              expect(waiting.wait).toBe(shortestWait())
          } else if (one.kind === 'end') end(ends[one.which % Math.max(1, ends.length)])
          else if (padding > 0) {
            const unread = rest()[one.which]
            if (unread !== undefined) gone.add(unread)
          }
          if (gone.size === 0) expect(waiting.size).toBe(rest().length)
        }
        for (let round = 0; waiting.size > 0; round++) {
          expect(round).toBeLessThan(2_000)
          await finish()
          for (const page of ends) end(page)
          if (!next()) now += waiting.wait === Infinity ? 1 : waiting.wait
          ask()
        }
        // Pages that were taken no longer count as memory.
        expect(waiting.isFull).toBe(false)
        // A page that is gone may have been in memory before.
        expect(rest().filter((seq) => !gone.has(seq))).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
}, 60_000)
