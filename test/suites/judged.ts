import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import { isObject } from '../../src/kernel/json.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import { product } from '../../src/features/templates/catalog/product.ts'
import { tables } from '../../src/features/templates/catalog/tables.ts'
import type { Page, PageResult } from '../../src/ports/page-processor.ts'

// Runs the engine and the templates on pages of other people, whose truth was written by hand, and
// scores the answers with the scorer that lies beside the pages.
// npm run judged -- [FOLDER] [--only SET] [--ids] [--save FILE]
// FOLDER: where the sets are; else $SEINE_JUDGED, else ../shared/bench-extraction.
// --only SET: products, metadata, tables or pagination.
// --ids: the pages that score below 1, with what was wanted and what came.
// --save FILE: the answers, as the scorer reads them. Needs --only.

type Scorer = (
  set: string,
  truth: Readonly<Record<string, Truth>>,
  answers: Readonly<Record<string, Json>>,
) => Readonly<Record<string, Readonly<Record<string, number>>>>

type Truth = Row & { readonly url: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    ids: { type: 'boolean', default: false },
    save: { type: 'string' },
  },
})

/** The engine's answer on one page of a set, as the scorer reads it. */
const ANSWERS: Readonly<Record<string, (page: Page) => Promise<Json>>> = {
  products: async (page) => {
    const [row = {}] = (await read(product.recipe({ urls: [page.url] }), page)).rows
    const { price, sku, availability, brand } = row
    return { price, sku, availability: stockOf(availability ?? null), brand } as Row
  },
  metadata: async (page) => {
    const [row] = (await read({ formats: ['metadata'] }, page)).rows
    return row?.['metadata'] ?? {}
  },
  tables: async (page) => gridOf(await tableRows(page, 'written')),
  'typed tables': async (page) => gridOf(await tableRows(page, 'typed')),
  pagination: async (page) => {
    const { links } = await read({ formats: ['metadata'], follow: [{ next: ':auto' }] }, page)
    return links[0] === undefined ? {} : { next: links[0].url }
  },
}

const root = resolve(positionals[0] ?? process.env['SEINE_JUDGED'] ?? '../shared/bench-extraction')
if (!existsSync(root)) {
  console.log(`There are no judged pages at ${root}`)
  process.exit(0)
}
const { score }: { score: Scorer } = await import(
  pathToFileURL(join(root, 'score-structured.mjs')).href
)
for (const [name, answer] of Object.entries(ANSWERS)) {
  if (values.only !== undefined && values.only !== name) continue
  const set = name.replace('typed ', '')
  const truth: Record<string, Truth> = JSON.parse(
    readFileSync(join(root, set, 'truth.json'), 'utf8'),
  )
  const answers: Record<string, Json> = {}
  let took = 0
  for (const [id, { url }] of Object.entries(truth)) {
    const body = gunzipSync(readFileSync(join(root, set, 'html', `${id}.html.gz`)))
    const begun = performance.now()
    answers[id] = await answer({ url, contentType: 'text/html', body: Uint8Array.from(body) })
    took += performance.now() - begun
  }
  const perPage = (took / Object.keys(truth).length).toFixed(1)
  for (const [what, figures] of Object.entries(score(set, truth, answers)))
    console.log(`${name} ${what}: ${shown(figures)}; ${perPage} ms a page`)
  if (values.ids) tellMisses(score, set, truth, answers)
  if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(answers))
}

async function read(recipe: Row | object, page: Page): Promise<PageResult> {
  const parsed = parseRecipe({ start: { urls: [page.url] }, ...recipe })
  await prepareRecipe(parsed)
  return compileRecipe(parsed).process(page, { label: 'start', depth: 0, hop: 1 })
}

async function tableRows(page: Page, as: 'typed' | 'written'): Promise<readonly Row[]> {
  return (await read(tables.recipe({ url: page.url, maxPages: 1, values: as }), page)).rows
}

/** The terms of the set for what the template answers; the set knows two. */
function stockOf(availability: Json): Json {
  if (typeof availability !== 'string') return null
  return availability.replace(/^https?:\/\/(?:www\.)?schema\.org\//, '')
}

/** Rows as a grid of texts, with the columns as its first line. Links are not part of a grid. */
function gridOf(rows: readonly Row[]): Json {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'url')
  const lines = rows.map((row) => columns.map((column) => String(row[column] ?? '')))
  return rows.length === 0 ? [] : [columns, ...lines]
}

function shown(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${name} ${Number.isInteger(figure) ? figure : figure.toFixed(3)}`)
    .join(' ')
}

function tellMisses(
  scorer: Scorer,
  set: string,
  truth: Readonly<Record<string, Truth>>,
  answers: Readonly<Record<string, Json>>,
): void {
  for (const [id, expected] of Object.entries(truth)) {
    const answer = answers[id] ?? null
    const one = scorer(set, { [id]: expected }, { [id]: answer })
    for (const [what, { f1, rowF1, support }] of Object.entries(one)) {
      const figure = f1 ?? rowF1 ?? 0
      const came = isObject(answer) ? answer[what] : answer
      if (figure === 1 || (support === 0 && (came === undefined || came === null))) continue
      const texts = [expected[what] ?? expected['rows'], came].map((value) =>
        JSON.stringify(value ?? null).slice(0, 300),
      )
      console.log(`  ${id} ${what} ${figure.toFixed(2)}: ${texts.join(' <- ')} ${expected.url}`)
    }
  }
}
