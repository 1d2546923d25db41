import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const PAGE = 'https://pens.example.com/'
const DAY = 86_400_000

const idOf = (result: object) => String(Reflect.get(result, 'id'))

/** The data that can still be read after each day: the answer, the entry in the list and the page. */
async function daysOf(agents: PlatformOptions['agents'], days: readonly number[]) {
  const clock = createFakeClock()
  const { api } = createPlatform({
    store: createMemoryStore({ clock }),
    fetcher: createFakeWeb({ [PAGE]: '<title>Pens</title><main><p>Pens that write.</p></main>' }),
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...(agents && { agents }),
  })
  const fetched = await clock.runUntil(
    api.agentic.call(OWNER, { tool: 'fetch', arguments: { id: PAGE } }),
  )
  const again = { tool: 'fetch', arguments: { id: idOf(fetched.result) }, keep: false } as const
  const isThere = (read: Promise<unknown>) =>
    read.then(
      () => true,
      (error: unknown) => (error instanceof Error ? error.message : false),
    )
  const seen: unknown[] = []
  const begun = clock.now()
  for (const day of days) {
    await clock.advance(begun + day * DAY - clock.now())
    const calls = (await api.agentic.list(OWNER)).items
    seen.push([
      await isThere(api.agentic.get(OWNER, fetched.id)),
      calls.some(({ id }) => id === fetched.id),
      await isThere(clock.runUntil(api.agentic.call(OWNER, again))),
    ])
  }
  return { seen, expiresAt: Date.parse(fetched.expiresAt) - Date.parse(fetched.createdAt) }
}

const GONE = 'Agentic execution not found'
const goneAfter = (days: string) => expect.stringContaining(`fetched pages are kept for ${days}.`)

it('answers, entries and pages of agents are kept for as long as the host says', async () => {
  expect(
    await daysOf({ answerDays: 3, callDays: 5, pageDays: 1 }, [0.9, 1.1, 2.9, 3.1, 4.9, 5.1]),
  ).toEqual({
    seen: [
      [true, true, true],
      [true, true, goneAfter('1 day')],
      [true, true, goneAfter('1 day')],
      [GONE, true, goneAfter('1 day')],
      [GONE, true, goneAfter('1 day')],
      [GONE, false, goneAfter('1 day')],
    ],
    expiresAt: 3 * DAY,
  })
})

it('without the option an answer is kept for a day, a page for seven, an entry for ninety', async () => {
  expect(await daysOf(undefined, [0.9, 1.1, 6.9, 7.1, 89.9, 90.1])).toEqual({
    seen: [
      [true, true, true],
      [GONE, true, true],
      [GONE, true, true],
      [GONE, true, goneAfter('7 days')],
      [GONE, true, goneAfter('7 days')],
      [GONE, false, goneAfter('7 days')],
    ],
    expiresAt: DAY,
  })
})

it('an invalid number of days is refused when the platform is made', () => {
  for (const days of [0, -1, 1.5, 36_501, Infinity, '1'])
    expect(() => createPlatform({ agents: { callDays: days } as object })).toThrow(
      'agents.callDays must be a whole number from 1 to 36500',
    )
  expect(() => createPlatform({ agents: { calldays: 1 } as object })).toThrow('callDays')
})
