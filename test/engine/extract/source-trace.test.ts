import { describe, expect, it } from 'vitest'
import { chosenRuns, matchedSource } from '../../../src/engine/extract/source-trace.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { sourceTexts } from '../../../src/engine/plan/source-name.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { PageResult } from '../../../src/ports/page-processor.ts'
import { CountingBudget, pageOf, runOn } from '../../support/worlds/page-run.ts'

/** For each row, the alternative that gave each column; `2*` is the default of the third one. */
function chosen({ rows, sources = [] }: PageResult): string[] {
  const codes = sources.flatMap(([one, count]) => Array<string>(count).fill(one))
  expect(codes).toHaveLength(rows.length)
  return rows.map((row, index) =>
    Object.keys(row)
      .map((_, column) => {
        const matched = matchedSource(codes[index] ?? '', column)
        return matched === null ? '-' : `${matched.alternative}${matched.isDefault ? '*' : ''}`
      })
      .join(' '),
  )
}

const LIST =
  '<i><b>a</b><u>1</u></i><i><b>b</b><s>2</s></i><i></i><i><b>c</b></i><i><b>d</b><s>4</s></i>'

describe('the sources of values', () => {
  it('are recorded for each row, and not for rows that are left out', async () => {
    const result = await runOn(
      {
        extract: { items: 'i', fields: { name: 'b', price: [{ css: 'u', as: 'number' }, 's'] } },
      },
      pageOf(LIST),
    )
    expect(result.rows).toHaveLength(4)
    expect(chosen(result)).toEqual(['0 0', '0 1', '0 -', '0 1'])
  })

  it('mark a default as a default, but not an extracted value that equals it', async () => {
    const orNone = (css: string) => ({ css, transform: [{ default: '2' }] })
    const result = await runOn(
      { extract: { items: 'i', fields: { name: 'b', one: orNone('s'), two: ['u', orNone('s')] } } },
      pageOf(LIST),
    )
    expect(chosen(result)).toEqual(['0 0* 0', '0 0 1', '0 0* 1*', '0 0 1'])
  })

  it('of nested fields are not mixed with those of the outer field', async () => {
    const inner = { a: ['q', 'u'], b: { css: 's', transform: [{ default: 'x' }] } }
    const result = await runOn(
      {
        extract: {
          items: 'i',
          fields: { name: 'b', all: { css: ':scope', fields: inner }, last: ['q', 'b'] },
        },
      },
      pageOf(LIST),
    )
    expect(chosen(result).slice(0, 2)).toEqual(['0 0 1', '0 0 1'])
  })

  it('of many equal rows are stored as one run', async () => {
    const { rows, sources } = await runOn(
      { extract: { items: 'i', fields: { name: ['q', 'b'] } } },
      pageOf('<i><b>x</b></i>'.repeat(1_000)),
    )
    expect(rows).toHaveLength(1_000)
    expect(sources).toEqual([['3', 1_000]])
  })

  it('may also be formats and the page', async () => {
    expect(
      chosen(
        await runOn(
          { extract: { fields: { at: { url: true }, none: 'q' } }, formats: ['text', 'markdown'] },
          pageOf('<p>Words</p>'),
        ),
      ),
    ).toEqual(['0 - 0 0'])
    expect(chosen(await runOn({}, pageOf('<p>Words</p>')))).toEqual(['0 0 0'])
  })

  it('are paid from the budget of the page; a page without budget keeps its rows and their sources', async () => {
    const recipe = { extract: { items: 'i', fields: { name: 'b', price: ['u', 's'] } } }
    const page = pageOf(LIST.repeat(20))
    const alike = pageOf('<i><b>a</b><u>1</u></i>'.repeat(100))
    const [changing, same] = [new CountingBudget(), new CountingBudget()]
    await runOn(recipe, page, changing)
    await runOn(recipe, alike, same)
    for (let bytes = 500; bytes < changing.bytes; bytes += 137)
      chosen(await runOn(recipe, page, new PageBudget({ steps: 1e9, bytes })))
    const withRuns = changing.bytes
    expect(withRuns).toBeGreaterThan(same.bytes)
  })
})

it('the sources of chosen rows can be read', () => {
  expect(
    chosenRuns(
      [
        ['1', 3],
        ['3', 2],
      ],
      [0, 2, 4],
    ),
  ).toEqual([
    ['1', 2],
    ['3', 1],
  ])
})

it('the texts of sources are those of the recipe', () => {
  const recipe = parseRecipe({
    start: { urls: ['https://a.example/'] },
    extract: {
      fields: {
        price: ['.price', { jsonld: '$..offers.price' }, { css: 'meta', attr: 'content' }],
        at: { url: true },
        id: '$.id',
        link: '//a',
        fixed: { const: 3 },
        code: { regex: 'A(.)' },
      },
    },
    formats: ['markdown'],
  })
  expect(sourceTexts(recipe.recipe, recipe.facts.columns)).toEqual([
    ['css: .price', 'jsonld: $..offers.price', 'css: meta @content'],
    ['url'],
    ['json: $.id'],
    ['xpath: //a'],
    ['const: 3'],
    ['regex: A(.)'],
    ['format: markdown'],
  ])
})
