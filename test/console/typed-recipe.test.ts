import { expect, test } from 'vitest'
import { actionOn } from '../../src/console/app/builder/actions.tsx'
import {
  actionsOf,
  columnsOf,
  detailsOf,
  itemsOn,
  nextOf,
  rendered,
  uniqueOf,
  withActions,
  withColumnOn,
  withColumns,
  withDetails,
  withNext,
  withUnique,
} from '../../src/console/app/builder/recipe.ts'
import { sourcesOf } from '../../src/console/app/builder/sources.ts'
import type { RecipeInput } from '../../src/client.ts'
import { failingCases } from '../support/failing-cases.ts'

/** Values that stand somewhere in a recipe while it is typed. */
const ODD: readonly unknown[] = [
  null,
  true,
  5,
  '',
  'text',
  [],
  [''],
  [1],
  [null],
  [[]],
  {},
  { a: null },
  { toString: 1 },
  [{ toString: { toString: 1 } }],
]

/** A recipe around an odd value, for each member that the builder reads. */
const AROUND: Readonly<Record<string, (odd: unknown) => object>> = {
  extract: (extract) => ({ extract }),
  items: (items) => ({ extract: { items, fields: { a: 'b' } } }),
  on: (on) => ({ extract: { on }, follow: [{ links: 'a', as: on }] }),
  fields: (fields) => ({ extract: { fields } }),
  field: (field) => ({ extract: { fields: { field } } }),
  transform: (transform) => ({ extract: { fields: { a: { css: 'b', transform } } } }),
  step: (step) => ({ extract: { fields: { a: { css: 'b', transform: [{ default: step }] } } } }),
  reading: (decimal) => ({ extract: { fields: { a: { css: 'b', as: { number: { decimal } } } } } }),
  follow: (follow) => ({ extract: { on: 'detail' }, follow }),
  next: (next) => ({ follow: [{ next }] }),
  'items of a rule': (items) => ({
    extract: { on: 'detail' },
    follow: [{ links: 'a', as: 'detail', items }],
  }),
  carry: (carry) => ({
    extract: { on: 'detail' },
    follow: [{ links: 'a', as: 'detail', carry }],
  }),
  page: (page) => ({ page }),
  actions: (actions) => ({ page: { actions } }),
  output: (output) => ({ output }),
  unique: (unique) => ({ output: { unique } }),
}

test('a recipe that is half typed as JSON is read and changed all the same', async () => {
  const cases = Object.entries(AROUND).flatMap(([name, around]) =>
    ODD.map((odd) => [name, { start: {}, ...around(odd) }] as const),
  )
  const nameOf = ([name, typed]: (typeof cases)[number]) => `${name}: ${JSON.stringify(typed)}`
  const failing = await failingCases(cases, nameOf, ([, typed]) => {
    const recipe: RecipeInput = JSON.parse(JSON.stringify(typed))
    for (const [, field] of columnsOf(recipe)) sourcesOf(field)
    for (const label of ['start', 'detail'])
      expect(itemsOn(recipe, label)).toBeOneOf([undefined, expect.any(String)])
    expect(nextOf(recipe)).toBeOneOf([null, expect.any(String)])
    expect(nextOf(withNext(recipe, 'a.next'))).toBe('a.next')
    expect(nextOf(withNext(recipe, null))).toBeNull()
    expect(columnsOf(withColumns(recipe, [['name', 'h1']]))).toEqual([['name', 'h1']])
    expect(columnsOf(withColumnOn(recipe, 'start', 'added', 'h1')).at(-1)?.[0]).toBe('added')
    const { carry } = detailsOf(withColumnOn(recipe, 'start', 'added', 'h1')) ?? {}
    if (carry !== undefined) expect(Object.keys(carry)).not.toContain('0')
    const details = withDetails(recipe, 'a').follow?.at(-1)
    expect(details).toMatchObject({ links: 'a' })
    if (details && 'items' in details) expect(details.items).toBeTypeOf('string')
    expect(detailsOf(withDetails(recipe, 'a'))).not.toBeNull()
    const click = actionOn('click', 'button', '')
    expect(actionsOf(rendered(recipe, click)).at(-1)).toEqual(click)
    expect(actionsOf(withActions(recipe, []))).toEqual([])
    expect(uniqueOf(withUnique(recipe, [...uniqueOf(recipe), 'sku'])).at(-1)).toBe('sku')
  })
  expect(failing).toEqual([])
})

test('what is right beside it is kept', () => {
  const recipe: RecipeInput = JSON.parse(
    '{ "start": {}, "follow": ["", 1, { "next": "a" }], "page": { "actions": [null, { "wait": "b" }] } }',
  )
  expect(nextOf(recipe)).toBe('a')
  expect(actionsOf(recipe)).toEqual([{ wait: 'b' }])
  expect(withNext(recipe, null)).not.toHaveProperty('follow')
})
