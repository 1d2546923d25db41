import { describe, expect, it } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const page = (name: string): string =>
  `<h1>${name}</h1><p>Art. no. ${name}-7</p><p>${'word '.repeat(600)}</p>`
const PAGES = {
  [`${SITE}/a`]: page('a'),
  [`${SITE}/b`]: page('b'),
  [`${SITE}/c`]: page('c'),
  [`${SITE}/d`]: page('d'),
}
const RECIPE = {
  start: { urls: Object.keys(PAGES) },
  extract: { fields: { number: { regex: 'Art\\. no\\. (\\S+)' } } },
}

describe('a recipe with a pattern', () => {
  it.each([
    ['here', undefined],
    ['in threads', () => createPageThreads({ threads: 1 })],
  ])('runs %s', async (_, processor) => {
    const pool = processor?.()
    const world = createWorld(PAGES, pool ? { processor: pool } : {})
    const id = await world.start(RECIPE)
    await world.work()
    expect((await world.rows(id)).map(({ number }) => number).toSorted()).toEqual([
      'a-7',
      'b-7',
      'c-7',
      'd-7',
    ])
    await pool?.close()
  })

  it('is refused with the place when it is saved', async () => {
    const { platform } = createWorld(PAGES)
    const recipe = { ...RECIPE, extract: { fields: { number: { css: 'p', regex: '(a+' } } } }
    await expect(platform.api.tasks.create(OWNER, { name: 'x', recipe })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ path: 'recipe.extract.fields.number.regex' }],
    })
  })
})
