import { describe, expect, it } from 'vitest'
import type { Preview } from '../../../src/features/previews/preview.ts'
import type { RecipeInput } from '../../../src/engine/recipe/recipe-input.ts'
import type { PreviewInput } from '../../../src/features/previews/service.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'

// Proves the proposals of a preview for a recipe that leaves parts to detection.

const SHOP = 'https://shop.example.com'

async function preview(
  pages: Record<string, Answer>,
  input: Omit<PreviewInput, 'scope'>,
): Promise<Preview> {
  const { platform, clock } = createWorld(pages)
  return clock.runUntil(platform.api.previews.run(OWNER, { ...input, scope: 'recipe' }))
}
const codes = ({ warnings }: Preview): string[] => warnings.map(({ code }) => code)

describe('a preview of a recipe with open parts', () => {
  const cards = (page: number): string =>
    Array.from(
      { length: 8 },
      (_, index) =>
        `<li class="card"><h3><a href="/p/${page}${index}">Pen ${page}${index}` +
        `</a></h3><span class="price">${index}.50 EUR</span></li>`,
    ).join('')
  const pages = {
    [`${SHOP}/`]: `<main><ul>${cards(1)}</ul><a rel="next" href="/2">Next</a></main>`,
    [`${SHOP}/2`]: `<main><ul>${cards(2)}</ul></main>`,
  }

  it('proposes a recipe, with the rows that it gives', async () => {
    const report = await preview(pages, {
      recipe: { start: { urls: [`${SHOP}/`] }, extract: 'auto' },
    })
    const { proposal } = report
    expect(proposal).toMatchObject({
      kind: 'list',
      recipe: {
        start: { urls: [`${SHOP}/`] },
        extract: { items: expect.any(String) },
        follow: [{ next: expect.any(String) }],
      },
    })
    // The proposed rule is not followed: an execution of this recipe does not follow it either.
    expect([report.totals.rows, report.rows.length, report.pages.length]).toEqual([8, 8, 1])
    expect(Object.keys(report.rows[0] ?? {})).toEqual(report.columns)
    expect(report.fields.every(({ sources }) => sources.length > 0)).toBe(true)
    const again = await preview(pages, { recipe: proposal?.recipe ?? { start: {} } })
    expect([again.rows.length, again.rows.slice(0, 8)]).toEqual([16, report.rows])
  })

  it('offers the other ways to read the page, each with rows, types and a reason', async () => {
    const cells = Array.from(
      { length: 6 },
      (_, index) => `<tr><td>Model ${index}</td><td>${index}7</td></tr>`,
    )
    const state = JSON.stringify({
      page: { stores: ['Graz', 'Linz', 'Wels'].map((city, id) => ({ id, city, open: true })) },
    })
    const page = {
      [`${SHOP}/`]:
        `<main><ul>${cards(1)}</ul><table><tr><th>Name</th><th>Weight</th></tr>` +
        `${cells.join('')}</table></main><script type="application/json">${state}</script>`,
    }
    const report = await preview(page, {
      recipe: { start: { urls: [`${SHOP}/`] }, extract: 'auto' },
    })
    const { proposal, proposals } = report
    expect(proposals[0]).toMatchObject({ ...proposal, rows: report.rows.slice(0, 3), count: 8 })
    const table = proposals.find(({ kind }) => kind === 'table')
    expect(table).toMatchObject({
      reason: 'A table of 6 rows and 2 columns.',
      columns: [
        { name: 'name', type: 'text' },
        { name: 'weight', type: 'number' },
      ],
      rows: [
        { name: 'Model 0', weight: 7 },
        { name: 'Model 1', weight: 17 },
        { name: 'Model 2', weight: 27 },
      ],
      count: 6,
    })
    const stores = proposals.find(({ reason }) => reason.startsWith('Scripts'))
    expect(stores).toMatchObject({
      reason: 'Scripts left 3 objects in the page at $.page.stores[*].',
      rows: [{ id: 0, city: 'Graz', open: true }, { city: 'Linz' }, { city: 'Wels' }],
    })
    // Each is a recipe that gives these rows.
    for (const { recipe: proposed, rows: first, count } of proposals) {
      const { follow: _, ...alone } = proposed
      const again = await preview(page, { recipe: alone })
      expect([again.rows.slice(0, 3), again.totals.rows]).toEqual([first, count])
    }
  })

  it('proposes from the pages that the rules lead to', async () => {
    const article =
      '<article><h1>News</h1>' +
      (
        '<p>A sentence that is long enough to be one of prose, and then some more of it, ' +
        'since prose is what stories are.</p>'
      ).repeat(12) +
      '</article>'
    const report = await preview(
      { [`${SHOP}/`]: '<a class="more" href="/a">a</a>', [`${SHOP}/a`]: article },
      {
        recipe: {
          start: { urls: [`${SHOP}/`] },
          follow: [{ links: 'a.more', as: 'story', on: 'start' }],
          extract: 'auto',
        },
      },
    )
    expect(report.proposal).toMatchObject({ kind: 'article', recipe: { extract: { on: 'story' } } })
    expect(report.rows).toMatchObject([{ title: 'News' }])
  })

  it.each<readonly [string, Partial<RecipeInput>, string, readonly string[]]>([
    ['auto', { extract: 'auto' }, '', ['needs_scripts', 'field_empty', 'field_empty']],
    ['a recipe', { extract: { fields: { a: 'h1' } } }, '', ['needs_scripts', 'field_empty']],
    [
      'nothing, where it has text',
      { extract: { fields: { a: 'b' } } },
      `<b>${'rope '.repeat(60)}</b>`,
      [],
    ],
  ])('reports that a page is written by scripts: %s', async (_, rest, text, warnings) => {
    const page = `<title>App</title>${text}<div id="root"></div><script src="/app.js"></script>`
    const report = await preview(
      { [`${SHOP}/`]: page },
      { recipe: { start: { urls: [`${SHOP}/`] }, ...rest } },
    )
    expect(codes(report)).toEqual(warnings)
  })

  it('says what repeats where it finds no list, and why it is none', async () => {
    const menu = [1, 2, 3].map((i) => `<a href="/${i}">Part ${i}</a>`).join('')
    const page = `<title>About</title><nav>${menu}</nav><p>A word about us.</p>`
    const reason = '3 nav > a are in nav, which is beside the content.'
    for (const extract of ['auto', { items: ':auto', fields: { title: 'a' } }] as const) {
      const report = await preview(
        { [`${SHOP}/`]: page },
        { recipe: { start: { urls: [`${SHOP}/`] }, extract } },
      )
      expect(report.refused).toEqual([{ items: 'nav > a', count: 3, text: 'Part 1', reason }])
      const warning = report.warnings.find(({ code }) => code === 'nothing_detected')
      expect(warning?.message).toContain(`${reason} The first one is "Part 1"`)
    }
    const named = await preview(
      { [`${SHOP}/`]: page },
      { recipe: { start: { urls: [`${SHOP}/`] }, extract: { fields: { title: 'h1' } } } },
    )
    expect(named.refused).toEqual([])
  })

  it('proposes nothing from a page that cannot be read', async () => {
    const report = await preview({}, { recipe: { start: { urls: [`${SHOP}/`] }, extract: 'auto' } })
    expect([report.proposal, report.columns, report.rows]).toEqual([null, [], []])
    expect(codes(report)).toEqual(['no_page_fetched', 'nothing_proposed'])
  })
})
