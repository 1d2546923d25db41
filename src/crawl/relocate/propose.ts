import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type { OpenRecipe, Page, PageRelocation } from '../../ports/page-processor.ts'
import { frameOf } from '../../engine/plan/source-frame.ts'
import type { ExtractRules } from '../../engine/recipe/recipe-input.ts'
import type { Drift, Reason } from '../../features/executions/records.ts'
import type { FieldRelocation, RelocationRecord } from '../../features/executions/relocation.ts'
import type { SamplePage } from './earlier-rows.ts'
import { objectionTo, scoreOf, valuesOf } from './judge.ts'
import type { Score, TriedPage } from './judge.ts'

/** Number of pages on which sources are looked for. They are then tried on all pages of the sample. */
const MOST_SEARCHED = 8
/** Maximum number of sources of one column that are tried. */
const MOST_SOURCES = 12
/** Maximum number of selectors of items that are tried. */
const MOST_ITEMS = 3
/** Columns that are looked for. */
const MOST_COLUMNS = 20

/** Input of {@link propose}. */
export interface ProposeOptions {
  /** The recipe of the execution, with its parameters filled. */
  readonly recipe: { readonly [part: string]: Json }
  readonly rules: ExtractRules
  readonly drift: readonly Drift[]
  readonly sample: readonly SamplePage[]
  readonly open: (recipe: Json) => OpenRecipe
  /** Returns the page as the recipe sees it. `null`: it is gone. */
  readonly load: (page: SamplePage) => Promise<Page | null>
  readonly signal: AbortSignal
}

/** A proposal without its time. */
export type RelocationProposal = Pick<RelocationRecord, 'status' | 'reason' | 'items' | 'fields'>

/** Sources of each column within the items of one selector; `null`: the recipe's own. */
interface Candidates {
  readonly items: string | null
  /** Column → the source as JSON text → the number of rows in which it was found. */
  readonly columns: Map<string, Map<string, number>>
  pages: number
}

/** A column's best field, and its score on the sample. */
interface Tried {
  readonly source: Json
  readonly score: Score
}

/**
 * Looks for the values of earlier rows on kept pages, tries the sources that find them on all pages
 * of the sample, and proposes the best source of each drifted column.
 */
export async function propose(options: ProposeOptions): Promise<RelocationProposal> {
  const { drift, rules } = options
  const columns = drift
    .map(({ field }) => field)
    .filter((column) => fieldOf(rules, column) !== undefined)
    .slice(0, MOST_COLUMNS)
  let best: { candidates: Candidates; tried: Map<string, Tried>; equal: number } | null = null
  for (const candidates of await findCandidates(options, columns)) {
    const tried = await tryAll(options, candidates, columns)
    let equal = 0
    for (const { score } of tried.values()) equal += score.equal
    if (best === null || equal > best.equal) best = { candidates, tried, equal }
  }
  const items = best?.candidates.items ?? null
  const fields = columns.map((column) =>
    relocated(options, column, best?.tried.get(column) ?? null),
  )
  const isProposed = fields.some(({ proposal }) => proposal !== null)
  return {
    status: isProposed ? 'proposed' : 'none',
    reason: isProposed ? null : (fields[0]?.reason ?? NO_FIELDS),
    items: isProposed && items !== null ? { source: rules.items ?? '', proposal: items } : null,
    fields,
  }
}

const NO_FIELDS: Reason = {
  code: 'no_sources',
  message: 'No drifted column is a field of the recipe',
}

async function findCandidates(
  { recipe, sample, open, load, signal }: ProposeOptions,
  columns: readonly string[],
): Promise<Candidates[]> {
  const byItems = new Map<string | null, Candidates>()
  const pages = open(recipe)
  try {
    for (const sampled of sample.slice(0, MOST_SEARCHED)) {
      const page = await load(sampled)
      if (page === null) continue
      const sought = { columns, rows: sampled.before }
      const answer: PageRelocation = await within([], () =>
        pages.relocate({ ...page, sought }, signal),
      )
      for (const { items, sources } of answer) {
        const candidates: Candidates = byItems.get(items) ?? { items, columns: new Map(), pages: 0 }
        byItems.set(items, candidates)
        candidates.pages++
        for (const { column, source, rows } of sources) {
          const counts = candidates.columns.get(column) ?? new Map<string, number>()
          candidates.columns.set(column, counts)
          const text = JSON.stringify(source)
          counts.set(text, (counts.get(text) ?? 0) + rows)
        }
      }
    }
  } finally {
    pages.close()
  }
  return [...byItems.values()].toSorted((a, b) => b.pages - a.pages).slice(0, MOST_ITEMS)
}

/**
 * Runs a recipe in which every candidate is a column, and selects the best candidate for each
 * original column.
 */
async function tryAll(
  { rules, drift, sample, open, load, signal }: ProposeOptions,
  candidates: Candidates,
  columns: readonly string[],
): Promise<Map<string, Tried>> {
  const attempts = columns.flatMap((column) => {
    const counts = [...(candidates.columns.get(column) ?? [])]
    const sources = counts
      .toSorted(([a, rowsOfA], [b, rowsOfB]) => firmness(b) - firmness(a) || rowsOfB - rowsOfA)
      .slice(0, MOST_SOURCES)
      .map(([text]): Json => JSON.parse(text))
    const own = writtenField(rules, column)
    const isLost = candidates.items !== null || isEmptied(drift, column)
    // Within new items, the old source of a column may still be right.
    const fields = sources.map((source) => replaced(own, source, isLost))
    return (candidates.items === null ? fields : [own, ...fields]).map((source) => ({
      column,
      source,
      pages: new Array<TriedPage>(),
    }))
  })
  if (attempts.length === 0) return new Map()
  const items = candidates.items ?? rules.items
  const attempt = open({
    start: { urls: ['https://example.com/'] },
    extract: {
      ...(items !== undefined && { items }),
      fields: Object.fromEntries(attempts.map(({ source }, index) => [`t${index}`, source])),
    },
  })
  try {
    for (const sampled of sample) {
      const page = await load(sampled)
      if (page === null) continue
      const { url } = sampled.kept
      const rows = await within<readonly Row[]>(
        [],
        async () => (await attempt.process(page, sampled.kept, signal)).rows,
      )
      for (const [position, { column, pages }] of attempts.entries())
        pages.push({
          url,
          before: valuesOf(sampled.before, column),
          after: valuesOf(rows, `t${position}`),
        })
    }
  } finally {
    attempt.close()
  }
  const best = new Map<string, Tried>()
  for (const { column, source, pages } of attempts) {
    const score = scoreOf(pages)
    const bestScore = best.get(column)?.score
    const isBetter =
      bestScore === undefined ||
      score.hits > bestScore.hits ||
      (score.hits === bestScore.hits && score.equal > bestScore.equal)
    if (isBetter) best.set(column, { source, score })
  }
  return best
}

function relocated(
  { rules }: ProposeOptions,
  column: string,
  tried: Tried | null,
): FieldRelocation {
  const field = fieldOf(rules, column) ?? ''
  const source = writtenField(rules, column)
  const objection =
    frameOf(field) === null
      ? {
          code: 'no_place',
          message:
            'The field does not read one place of a page: it is a model, a constant, a fact of the ' +
            'page, nested fields, or a whole part as html, markdown, json or media',
        }
      : objectionTo(tried?.score ?? null)
  const { pages = 0, hits = 0, confidence = 0, samples = [] } = tried?.score ?? {}
  const base = { field: column, source, pages, hits, confidence, samples }
  if (objection !== null || tried === null) return { ...base, proposal: null, reason: objection }
  return { ...base, proposal: tried.source, reason: null }
}

/** Alternatives of a field. */
const MOST_ALTERNATIVES = 20

/**
 * The new field. Old sources that still match on some pages come after the new one. A source with a
 * default would hide those after it.
 */
function replaced(old: Json, source: Json, isLost: boolean): Json {
  if (isLost || JSON.stringify(source).includes('"default"')) return source
  return [source, ...(isList(old) ? old : [old])].slice(0, MOST_ALTERNATIVES)
}

/** True if a column has no values any more. */
function isEmptied(drift: readonly Drift[], column: string): boolean {
  return (drift.find(({ field }) => field === column)?.now ?? 0) === 0
}

/** Estimates how stable a source is. Names are better than tags alone, and positions are worst. */
function firmness(source: string): number {
  const isNamed = /[.#[]|jsonld|meta/.test(source)
  return (isNamed ? 2 : 0) - (source.includes(':nth-child') ? 1 : 0)
}

function writtenField(rules: ExtractRules, column: string): Json {
  return JSON.parse(JSON.stringify(fieldOf(rules, column) ?? ''))
}

function fieldOf({ fields = {} }: ExtractRules, column: string) {
  return Object.hasOwn(fields, column) ? fields[column] : undefined
}

/** A page that is too costly is left out of the proposal. */
async function within<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof PageFailure) return otherwise
    throw error
  }
}
