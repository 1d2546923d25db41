import { describe, expect, test } from 'vitest'
import type { RecipeInput } from 'seine'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'

async function preview(html: string, fields: NonNullable<RecipeInput['extract']>) {
  const world = createWorld({ [SITE]: html })
  const { rows, warnings, pages } = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, {
      recipe: { start: { urls: [SITE] }, extract: fields },
      scope: 'x',
    }),
  )
  return {
    row: rows[0],
    codes: warnings.map(({ code, path }) => `${code} ${path}`),
    warnings,
    reasons: pages.map(({ reason }) => reason),
  }
}

const GERMAN =
  '<html lang="de"><p class="a">€ 2.400</p><p class="b">€ 1.200,-</p><p class="c">12.345 km</p>' +
  '<p class="d">5. März 2026</p><data class="e" value="2.400">2.400</data><i class="f" data-x="2.400"></i>'

describe('numbers and dates of a page', () => {
  test('are read in the form of its language, and data for machines in the form of machines', async () => {
    const { row, codes } = await preview(GERMAN, {
      fields: {
        a: { css: '.a', as: 'number' },
        b: { css: '.b', as: 'integer' },
        c: { xpath: '//p[@class="c"]/text()', as: 'number' },
        text: { css: '.c', regex: '[\\d.]+', as: 'number' },
        d: { css: '.d', as: 'date' },
        e: { css: '.e', as: 'number' },
        f: { css: '.f', attr: 'data-x', as: { number: { decimal: '.' } } },
      },
    })
    expect(row).toEqual({
      a: 2400,
      b: 1200,
      c: 12345,
      text: 12345,
      d: '2026-03-05',
      e: 2.4,
      f: 2.4,
    })
    expect(codes).toEqual([])
  })

  test('are reported if the price of a product can be read in two ways', async () => {
    const html = '<html lang="en"><h1>Halden lamp</h1><p class="price">€ 2.400</p>'
    const { row, reasons } = await preview(html, {
      fields: { name: { product: 'name' }, price: { product: 'price' } },
    })
    expect(row).toEqual({ name: 'Halden lamp', price: null })
    expect(reasons).toMatchObject([
      { code: 'values_unclear', message: expect.stringContaining('"€ 2.400"') },
    ])
  })

  test('that can be read in two ways are reported with advice', async () => {
    const html = '<html><h1>x</h1><p class="a">12.345 km</p><p class="b">01/02/2026</p>'
    const unclear = await preview(html, {
      fields: { h: 'h1', a: { css: '.a', as: 'number' }, b: { css: '.b', as: 'date' } },
    })
    expect(unclear.row).toEqual({ h: 'x', a: null, b: null })
    expect(unclear.codes).toEqual([
      'field_empty extract.fields.a',
      'values_unclear extract.fields.a',
      'field_empty extract.fields.b',
      'values_unclear extract.fields.b',
    ])
    expect(unclear.warnings[1]?.message).toContain('"as": { "number": { "decimal": "," } }')
    const clear = await preview(html, {
      fields: {
        a: { css: '.a', as: { number: { decimal: ',' } } },
        b: { css: '.b', as: { date: { order: 'dmy' } } },
      },
    })
    expect(clear.row).toEqual({ a: 12345, b: '2026-02-01' })
    expect(clear.codes).toEqual([])
  })

  test('are named in the page report of a run', async () => {
    const world = createWorld({
      [SITE]: '<html><h1>x</h1><p class="a">12.345 km</p><p class="b">01/02/2026</p>',
    })
    const { executions } = world.platform.api
    const { id } = await executions.run(OWNER, {
      recipe: {
        start: { urls: [SITE] },
        extract: {
          fields: { h: 'h1', a: { css: '.a', as: 'integer' }, b: { css: '.b', as: 'date' } },
        },
      },
    })
    await world.clock.runUntil(world.platform.worker.tick())
    const { items } = await executions.pages(OWNER, id)
    expect(items).toMatchObject([
      {
        outcome: 'fetched',
        rows: 1,
        reason: {
          code: 'values_unclear',
          message:
            'Values at extract.fields.a, extract.fields.b can be read in two ways, such as ' +
            '"12.345 km", and are left out. Say how the site writes them in "as", ' +
            'or leave "as" out to keep the text',
        },
      },
    ])
  })

  test.for<readonly [unknown, string]>([
    [{ number: { decimal: ';' } }, 'as.number.decimal'],
    [{ number: { decimal: ',' }, date: { order: 'dmy' } }, 'as'],
    [{ date: { order: 'dym' } }, 'as.date.order'],
    [{ boolean: {} }, 'as.boolean'],
    ['decimal', 'as'],
  ])('with a wrong format are refused at its place: %j', async ([as, path]) => {
    const world = createWorld({})
    const recipe = JSON.parse(
      JSON.stringify({ start: { urls: [SITE] }, extract: { fields: { a: { css: 'p', as } } } }),
    )
    await expect(
      world.platform.api.previews.run(OWNER, { recipe, scope: 'x' }),
    ).rejects.toMatchObject({
      issues: [expect.objectContaining({ path: `recipe.extract.fields.a.${path}` })],
    })
  })
})
