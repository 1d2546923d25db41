import { describe, expect, it } from 'vitest'
import { CostlyPreviews } from '../../../src/features/previews/costly-previews.ts'
import { PageFailure } from '../../../src/kernel/failures.ts'
import type { OpenRecipe } from '../../../src/ports/page-processor.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createDefaultPageProcessor } from '../../support/worlds/inline-pages.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const URL = 'https://shop.example.com/'
const MINUTE = 60_000
const recipe = { start: { urls: [URL] }, extract: { fields: { title: 'h1' } } }

/** Previews whose questions about a page end with `failure`, while there is one. */
function open() {
  const state: { failure: Error | null; asked: number } = { failure: null, asked: 0 }
  const inline = createDefaultPageProcessor(openPageWork, () =>
    Promise.reject(new Error('no rows')),
  )
  const world = createWorld(
    { [URL]: '<h1>Pen</h1>', [`${URL}2`]: '<h1>Ink</h1>' },
    {
      processor: {
        ...inline,
        open(...args) {
          const pages = inline.open(...args)
          const inspect: OpenRecipe['inspect'] = async (...of) => {
            state.asked++
            if (state.failure) throw state.failure
            return pages.inspect(...of)
          }
          return { ...pages, inspect }
        },
      },
    },
  )
  const preview = (more: object = {}, principal = OWNER) =>
    world.clock.runUntil(
      world.platform.api.previews.run(principal, { recipe, scope: 'recipe', ...more }),
    )
  return { ...world, state, preview }
}

const ended = (message = 'The page took longer than 10,000 ms and was stopped') =>
  new PageFailure('time', message, { endedThread: true })

describe('a preview that ended the thread of its page', () => {
  it('is refused after the second time, with the reason and the time, for ten minutes', async () => {
    const { state, preview, clock } = open()
    state.failure = ended()
    for (let time = 0; time < 2; time++) {
      expect((await preview()).pages).toMatchObject([
        { outcome: 'failed', reason: { code: 'page_too_costly' } },
      ])
      await clock.advance(4 * MINUTE)
    }
    const { asked } = state
    await expect(preview()).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(
        /stopped 2 times in the last 10 minutes \(The page took longer .*try again in \d+ seconds/,
      ),
      headers: { 'Retry-After': expect.stringMatching(/^1[12]\d$/) },
    })
    expect(state.asked).toBe(asked)
    await clock.advance(2 * MINUTE)
    state.failure = null
    expect((await preview()).rows).toEqual([{ title: 'Pen' }])
  })

  it('does not hold up others: other accounts, recipes and addresses', async () => {
    const { state, preview } = open()
    state.failure = ended()
    await preview()
    await preview()
    await expect(preview()).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
    state.failure = null
    expect((await preview({}, { ...OWNER, account: 'other' })).rows).toHaveLength(1)
    expect((await preview({ urls: [`${URL}2`] })).rows).toEqual([{ title: 'Ink' }])
    const other = { ...recipe, extract: { fields: { name: 'h1' } } }
    expect((await preview({ recipe: other })).rows).toEqual([{ name: 'Pen' }])
  })

  it('is not one whose page only used up its budget', async () => {
    const { state, preview } = open()
    state.failure = new PageFailure('time', 'The page needs more work')
    for (let time = 0; time < 4; time++) expect((await preview()).pages[0]?.outcome).toBe('failed')
    expect(state.asked).toBe(4)
  })

  it('may be the report of a kept page, whose other pages are explained nevertheless', async () => {
    const { state, clock, platform, start, work } = open()
    const pages = [URL, `${URL}2`]
    const id = await start({ ...recipe, start: { urls: pages }, page: { keep: true } })
    await work()
    const explain = (url: string) => clock.runUntil(platform.api.previews.explain(OWNER, id, url))
    state.failure = ended()
    for (let time = 0; time < 2; time++)
      expect((await explain(URL)).pages).toMatchObject([{ outcome: 'failed' }])
    const { asked } = state
    await expect(explain(URL)).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
    expect(state.asked).toBe(asked)
    state.failure = null
    expect((await explain(`${URL}2`)).rows).toEqual([{ title: 'Ink' }])
    await clock.advance(10 * MINUTE)
    expect((await explain(URL)).rows).toEqual([{ title: 'Pen' }])
  })

  it('is remembered among a number of others only', () => {
    const clock = createFakeClock()
    const costly = new CostlyPreviews(clock, 2)
    for (const key of ['a', 'a', 'b', 'b']) costly.note(key, 'why')
    expect(() => costly.demand('a')).toThrow('was stopped 2 times')
    costly.note('c', 'why')
    expect(() => costly.demand('b')).toThrow('was stopped 2 times')
    expect(() => costly.demand('a')).not.toThrow()
  })
})
