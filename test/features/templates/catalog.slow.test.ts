import { describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { estimateOf } from '../../../src/features/ledger/estimate.ts'
import { createRecords } from '../../../src/features/records.ts'
import { CATALOG } from '../../../src/features/templates/catalog/catalog.ts'
import { fillBlanks } from '../../../src/engine/recipe/fill-blanks.ts'
import { jsonSchemaOf } from '../../../src/features/templates/json-schema.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { DEFAULT_PRICES } from '../../../src/kernel/price.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { formatted } from '../../support/sources/formatted.ts'
import { runOnSite, templateSites } from '../../support/fakes/template-sites.ts'
import { OWNER } from '../../support/worlds/world.ts'

const sites = templateSites()
type Site = (typeof sites)[number]
const outcomes = new Map<Site, ReturnType<typeof runOnSite>>()

/** The run of a site, which is the same for all tests. */
function outcomeOf(site: Site): ReturnType<typeof runOnSite> {
  const outcome = outcomes.get(site) ?? runOnSite(site)
  outcomes.set(site, outcome)
  return outcome
}

/** The number of sample rows of a template, and of characters of a text in them. */
const SAMPLE_ROWS = 2
const SAMPLE_TEXT = 400

const fixed = sites.filter(({ params }) => params === null)

describe.each(sites.map((site) => [`${site.template} on ${site.name}`, site] as const))(
  '%s',
  (_, site) => {
    it('gives exactly these rows', async () => {
      const { execution, rows } = await outcomeOf(site)
      expect([execution.status, execution.reason]).toEqual(['succeeded', null])
      await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot(site.rows)
    })
  },
)

it('the provenance of rows takes at most a tenth of the rows, over all templates', async () => {
  let [rows, provenance] = [0, 0]
  for (const site of sites) {
    const { execution, world } = await outcomeOf(site)
    const segments = await createRecords(world.store).segments.list(OWNER.account, {
      within: [execution.id],
      limit: 100,
    })
    for (const { value } of segments) {
      const blob = await world.blobs.get(value.blob)
      expect(value.provenance).toBeGreaterThan(0)
      provenance += value.provenance ?? 0
      rows += (blob?.length ?? 0) - (value.provenance ?? 0)
    }
  }
  expect(rows).toBeGreaterThan(10_000)
  expect(provenance).toBeLessThanOrEqual(rows / 10)
})

it('every template has a site for its example, and common templates have two', () => {
  const countOf = (id: string) => sites.filter(({ template }) => template === id).length
  expect(fixed.map(({ template }) => template).toSorted()).toEqual(
    CATALOG.map(({ id }) => id).toSorted(),
  )
  for (const id of [
    'article',
    'product',
    'product-list',
    'tables',
    'forum-thread',
    'reviews',
    'feed',
    'json-api',
    'news-section',
  ])
    expect([id, countOf(id)]).toEqual([id, 2])
  expect(CATALOG.length).toBeGreaterThanOrEqual(18)
})

it('samples equal the rows of the examples (to update them: npm run templates)', async () => {
  const samples: Record<string, readonly Row[]> = {}
  for (const site of fixed)
    samples[site.template] = (await outcomeOf(site)).rows.slice(0, SAMPLE_ROWS).map(shortened)
  const source = [
    "import type { Row } from '../../../kernel/json.ts'",
    '',
    '/**',
    ' * First rows that each template gave on its fixture, long texts cut. Made by `npm run templates`:',
    ' * do not edit.',
    ' */',
    `export const SAMPLES: Readonly<Record<string, readonly Row[]>> = ${literalOf(samples)}`,
    '',
  ].join('\n')
  await expect(await formatted('samples.ts', source)).toMatchFileSnapshot(
    '../../../src/features/templates/catalog/samples.ts',
  )
})

/**
 * Writes JSON as the source of a module. A text that is too wide for a line is divided after a
 * space.
 */
function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.length < 90 ? text : text.replaceAll(/(?:[^\\]|\\.){40,75} (?=.{10})/g, '$&" + "'),
  )
}

const nameOf = ({ id }: (typeof CATALOG)[number]): string => id

it('every template reserves no more than its allowed pages', async () => {
  const failing = await failingCases(CATALOG, nameOf, async (template) => {
    const example = JSON.parse(JSON.stringify(template.example))
    const takesPages = 'maxPages' in Object(jsonSchemaOf(template.parameters)['properties'])
    const recipe = fillBlanks(template, takesPages ? { ...example, maxPages: 7 } : example)
    await prepareRecipe(recipe)
    const { pages } = estimateOf(compileRecipe(parseRecipe(recipe)), DEFAULT_PRICES)
    expect(pages).toBeLessThanOrEqual(Math.max(7, example.urls?.length ?? 0))
  })
  expect(failing).toEqual([])
})

it('every template describes exactly its columns, and each column has a value on its sites', async () => {
  const failing = await failingCases(CATALOG, nameOf, async (template) => {
    const recipe = fillBlanks(template, JSON.parse(JSON.stringify(template.example)))
    await prepareRecipe(recipe)
    const plan = compileRecipe(parseRecipe(recipe))
    if (template.columns === null) return expect(template.sample.length).toBeGreaterThan(0)
    const names = template.columns.map(({ name }) => name)
    expect(plan.columns).toEqual(names)
    const rows = (
      await Promise.all(
        sites
          .filter((site) => site.template === template.id)
          .map(async (site) => (await outcomeOf(site)).rows),
      )
    ).flat()
    expect(names.filter((name) => rows.every((row) => isEmpty(row[name])))).toEqual([])
    for (const { name, type } of template.columns)
      for (const row of rows)
        expect([name, type, fits(type, row[name] ?? null)]).toEqual([name, type, true])
  })
  expect(failing).toEqual([])
})

it('every template is described in plain words', async () => {
  const failing = await failingCases(CATALOG, nameOf, (template) => {
    const { id, name, description, categories, columns, typicalPages } = template
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
    for (const text of [description, ...(columns ?? []).map((column) => column.description)])
      expect(text).toMatch(/^[`\w].*\.$/s)
    expect([name.length < 40, categories.length > 0, typicalPages > 0]).toEqual([true, true, true])
  })
  expect(failing).toEqual([])
})

function isEmpty(value: Json | undefined): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

function fits(type: string, value: Json): boolean {
  if (value === null) return true
  switch (type) {
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'date':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
    case 'url':
      return typeof value === 'string' && URL.canParse(value)
    case 'json':
      return true
    default:
      return typeof value === 'string'
  }
}

/** Cuts long texts, at any depth. */
function shortened(row: Row): Row {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) =>
    typeof value === 'string' && value.length > SAMPLE_TEXT
      ? `${value.slice(0, SAMPLE_TEXT)}…`
      : value,
  )
}
