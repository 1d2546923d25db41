import { describe, expect, test } from 'vitest'
import { keeping, NUMBERS } from '../../support/worlds/drifting-task.ts'
import type { Draw } from '../../support/worlds/drifting-task.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { after, before, drifted, FIELDS, NEW_PRICE, page, whyNone } from './pens.ts'

describe('a field that stops matching', () => {
  test('keeps its old source as an alternative if that still matches somewhere', async () => {
    const { relocation } = await drifted(keeping({ fields: FIELDS }), before, (number) =>
      number === 1 ? before(number) : after(number),
    )
    expect(relocation?.fields[0]?.proposal).toEqual([NEW_PRICE, FIELDS.price])
  })

  test('is found within items, with a new selector of the items', async () => {
    const list =
      (item: string, name: string, price: string): Draw =>
      (number) =>
        `<ul>${[1, 2, 3, 4]
          .map(
            (i) =>
              `<li class="${item}"><h2 class="${name}">Pen ${number}-${i}</h2><b class="` +
              `${price}">€ ${number}.${i}</b></li>`,
          )
          .join('')}</ul>`
    const { relocation } = await drifted(
      keeping({
        items: '.item',
        fields: { name: '.name', price: { css: '.price', as: 'number' }, more: './/a/@href' },
      }),
      list('item', 'name', 'price'),
      list('card', 'title', 'amount'),
    )
    expect(relocation).toMatchObject({
      status: 'proposed',
      items: { source: '.item', proposal: 'li.card' },
      fields: [
        { field: 'name', proposal: 'h2.title', confidence: 1 },
        { field: 'price', proposal: { css: 'b.amount', as: 'number' }, confidence: 1 },
      ],
    })
  })
})

describe('no source is proposed', () => {
  test('from fewer than five kept pages', async () => {
    const recipe = { ...Object(keeping({ fields: FIELDS })), budget: { pages: 4 } }
    expect(await whyNone(recipe, before, after)).toBe('too_few_pages')
  })

  test('if the values are in the navigation only', async () => {
    const links = NUMBERS.map((number) => `<a>€ ${number}.50</a>`).join('')
    expect(
      await whyNone(keeping({ fields: FIELDS }), before, (n) => page(n, `<nav>${links}</nav>`)),
    ).toBe('values_not_found')
  })

  test('if the values are in a list that every page has', async () => {
    const links = NUMBERS.map((number) => `<a>€ ${number}.50</a>`).join('')
    expect(
      await whyNone(keeping({ fields: FIELDS }), before, (n) => page(n, `<p>${links}</p>`)),
    ).toBe('too_few_hits')
  })

  test('if all earlier values are the same', async () => {
    const same = (name: string) => (number: number) => page(number, `<p class="${name}">€ 7</p>`)
    expect(await whyNone(keeping({ fields: FIELDS }), same('price'), same('cost'))).toBe(
      'values_alike',
    )
  })

  test('for a text that is not in one element', async () => {
    const text = (name: string) => (number: number) =>
      page(number, `<main class="${name}"><p>Pen ${number}</p></main>`)
    const fields = { ...FIELDS, all: { css: '.text', as: 'markdown' } }
    expect(await whyNone(keeping({ fields }), text('text'), text('other'))).toBe('no_place')
  })
})

describe('a repair', () => {
  test('must name an execution of this task and account, and a column with a proposal', async () => {
    const { api, task, execution } = await drifted(keeping({ fields: FIELDS }), before, after)
    const repair = { executionId: execution }
    const other = { ...OWNER, account: 'other' }
    await expect(api.tasks.repair(other, task, repair)).rejects.toMatchObject({ status: 404 })
    const { recipe } = await api.tasks.get(OWNER, task)
    const twin = await api.tasks.create(OWNER, { recipe })
    await expect(api.tasks.repair(OWNER, twin.id, repair)).rejects.toMatchObject({ status: 404 })
    await expect(
      api.tasks.repair(OWNER, task, { ...repair, fields: ['price', 'name'] }),
    ).rejects.toMatchObject({ status: 400, issues: [{ path: 'fields.1' }] })
  })

  test('of a task with a schedule needs the right to run it', async () => {
    const { api, task, execution } = await drifted(keeping({ fields: FIELDS }), before, after)
    await api.tasks.update(OWNER, task, {
      schedule: { cron: '0 6 * * *', timeZone: 'UTC', missed: 'run', overlap: false },
    })
    const writer = { ...OWNER, scopes: ['tasks:write'] as const }
    await expect(api.tasks.repair(writer, task, { executionId: execution })).rejects.toMatchObject({
      status: 403,
    })
  })

  test('is applied by itself if the task says so and the proposal is certain', async () => {
    const recipe = keeping({ fields: FIELDS })
    const { api, task, relocation, events } = await drifted(recipe, before, after, 'repair')
    expect(relocation?.status).toBe('repaired')
    expect((await api.tasks.get(OWNER, task)).recipe.extract).toEqual({
      fields: { name: 'h1', price: NEW_PRICE },
    })
    expect(await events()).toEqual(['task.drift', 'task.relocation', 'task.repaired'])
  })

  test('is not applied by itself if fewer than nine of ten pages have a value', async () => {
    const recipe = keeping({ fields: FIELDS })
    const { api, task, relocation } = await drifted(
      recipe,
      before,
      (number) => after(number === 1 ? 9 : number),
      'repair',
    )
    expect(relocation).toMatchObject({ status: 'proposed', fields: [{ pages: 6, hits: 5 }] })
    expect((await api.tasks.get(OWNER, task)).recipe).toEqual(recipe)
  })
})
