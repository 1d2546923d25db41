import { badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isList } from '../../kernel/json.ts'
import type { Row } from '../../kernel/json.ts'
import { nameMeant } from '../../kernel/names.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { PageResult, SourceRun, Visit } from '../../ports/page-processor.ts'
import type { PageLimits } from '../../ports/page-limits.ts'
import type { RowNode } from '../extract/source/reader.ts'
import { factsOfFailed } from '../extract/page-facts.ts'
import { PageContent } from '../extract/page/page-content.ts'
import { PageBudget } from '../extract/page/page-budget.ts'
import { detectingPlan, isDetected } from './auto-extract.ts'
import type { ContentPlan, DetectedRecipe } from './auto-extract.ts'
import { compileExtract } from './compile-extract.ts'
import type { Extractor } from './compile-extract.ts'
import { compileModel, modelItems } from './compile-model.ts'
import type { ModelPlan } from './compile-model.ts'
import { compileFollow, followAll, unknownLabel } from './compile-follow.ts'
import { compileRender } from './compile-render.ts'
import { compileScope } from './compile-scope.ts'
import { expandUrls, readUrl, originsOf } from '../recipe/expand-urls.ts'
import { mediaOf } from '../recipe/columns.ts'
import { maxAgeMs, readsFoundOn, sourcesOf } from '../recipe/recipe-facts.ts'
import { ParsedRecipe } from '../recipe/parse-recipe.ts'
import { atOnce, type Parts } from '../extract/page/in-turns.ts'
import { questionOf } from './page-question.ts'
import { SourceTrace, codesOfRows, sourceCode, toRuns, withCodes } from '../extract/source-trace.ts'
import type { CrawlPlan, StartSearch } from './plan.ts'
import type { Recipe } from '../recipe/schema.ts'
import type { Field, FieldSource } from '../recipe/recipe-input.ts'
import { hasValue } from '../extract/value/convert.ts'

const MAX_PAGES = 10_000
const NOTHING = new Uint8Array()
/**
 * Limits for the row of a page that was not fetched; it has only constants and facts. The row is
 * made on the engine's calling thread, not on a page thread.
 */
const FAILED_LIMITS: PageLimits = { steps: 400_000, bytes: 512 * 1024 }
const CRAWL_DEPTH = 3
const SEARCH_RESULTS = 20
/** Follow rules name the path themselves, so they may go deeper than a crawl of all links. */
const FOLLOW_DEPTH = 10

/**
 * Compiles a recipe: applies defaults, expands start URLs, parses every selector and path once.
 *
 * Without `follow`, all links of a page are followed if `crawl` has `scope`, `maxDepth` or
 * `include` (scope `host` and depth 3 by default); otherwise none. With `follow`, the default scope
 * is `any`. A recipe with neither fields nor formats takes `url`, `metadata` and `markdown` of each
 * page.
 *
 * @example
 *   const recipe = parseRecipe({
 *     start: { urls: ['https://example.com/page/{1..3}'] },
 *     extract: { fields: { title: 'h1' } },
 *   })
 *   await prepareRecipe(recipe)
 *   const plan = compileRecipe(recipe)
 *   plan.startUrls.length // 3
 *
 * @param foundStarts Results of `start.search`: start pages that the scope also includes.
 * @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong part, its path relative to
 *   the recipe.
 */
export function compileRecipe(
  recipe: ParsedRecipe | Recipe,
  foundStarts: readonly NormalUrl[] = [],
): CrawlPlan {
  return compileContent(recipe instanceof ParsedRecipe ? recipe.recipe : recipe, foundStarts)
}

/** Like {@link compileRecipe}, with a plan that can answer several questions about one page. */
export function compileContent(
  recipe: Recipe,
  foundStarts: readonly NormalUrl[] = [],
): ContentPlan {
  return isDetected(recipe)
    ? compilePlan(recipe, foundStarts)
    : detectingPlan(recipe, (complete) => compilePlan(complete, foundStarts))
}

function compilePlan(recipe: DetectedRecipe, foundStarts: readonly NormalUrl[]): ContentPlan {
  const issues: Issue[] = []
  if (recipe.params !== undefined)
    issues.push({ path: 'params', message: 'must be filled first, by fillRecipe(recipe, values)' })
  const readsTexts = readsTextDocuments(recipe)
  const { crawl, budget: spending, page: request } = recipe
  const rules = recipe.follow ?? []
  const labels = new Set([
    'start',
    ...rules.flatMap((rule) => ('as' in rule && rule.as !== undefined ? [rule.as] : [])),
  ])
  const { urls, sitemap: listed, feed: fed, search } = recipe.start
  const startUrls = expandUrls(urls ?? [], 'start.urls', issues)
  if (urls === undefined && listed === undefined && fed === undefined && search === undefined)
    issues.push({ path: 'start', message: 'must have urls, a sitemap, a feed or a search' })
  const sitemap = compileList(listed, 'start.sitemap', issues)
  const feed = compileList(fed, 'start.feed', issues)
  const named = [...startUrls, ...[sitemap, feed].filter((list) => list !== null)]
  const on = recipe.extract?.on
  if (on !== undefined && !labels.has(on))
    issues.push({ path: 'extract.on', message: unknownLabel(on, labels) })
  const isExtracted = (visit: Visit): boolean => on === undefined || visit.label === on
  const extractor = compileExtract(recipe, issues)
  const model = compileModel(recipe.extract?.items, recipe.extract?.fields ?? {}, issues)
  const follows = rules.length > 0
  const crawls =
    !follows &&
    (crawl?.scope !== undefined || crawl?.maxDepth !== undefined || crawl?.include !== undefined)
  const render = compileRender(recipe, issues)
  const findLinks = follows ? compileFollow(rules, labels, issues) : crawls ? followAll() : null
  checkCarried(recipe, issues)
  const unique = recipe.output?.unique ?? null
  const keeps = request?.keep ?? false
  if (maxAgeMs(recipe) > 0 && recipe.formats?.includes('screenshot'))
    issues.push({
      path: 'page.maxAgeSeconds',
      message:
        'cannot be combined with the format screenshot: a page that is not requested again has ' +
        'no picture',
    })
  for (const [index, column] of (unique ?? []).entries()) {
    if (!extractor.columns.includes(column))
      issues.push({
        path: `output.unique.${index}`,
        message:
          `no column is named ${JSON.stringify(column)}; columns: ` +
          extractor.columns.join(', ') +
          nameMeant(column, extractor.columns),
      })
  }
  if (issues.length > 0) throw badRequest(issues)

  const processParts = function* (content: PageContent, visit: Visit): Parts<PageResult> {
    const { budget } = content
    const extracted = isExtracted(visit)
    const links = findLinks === null ? [] : yield* findLinks(content, visit)
    if (!extracted) return { rows: [], links, filled: {}, extracted, ...budget.losses }
    yield
    const nodes: RowNode[] | undefined = model === null ? undefined : []
    const trace = new SourceTrace(extractor.columns.length)
    const read = yield* extractor.read(content, nodes, trace)
    const { runs } = trace
    const rows = model === null ? read : read.filter(extractor.keeps)
    const question =
      model === null || nodes === undefined
        ? null
        : budget.attempt(
            'model',
            () => questionOf(model, content, read, nodes, rows.length > 0),
            null,
          )
    if (question !== null)
      return { rows: read, links, filled: {}, extracted, sources: runs, question, ...budget.losses }
    return {
      rows,
      links,
      filled: filledOf(extractor, rows),
      extracted,
      sources: model === null ? runs : answeredRuns(model, extractor, runs, read, read),
      ...budget.losses,
    }
  }
  const processContent = (content: PageContent, visit: Visit): PageResult =>
    atOnce(processParts(content, visit))

  return {
    startUrls,
    sitemap,
    feed,
    search: compileSearch(search),
    detects: false,
    discovers: findLinks !== null || sitemap !== null || feed !== null,
    columns: extractor.columns,
    // A Word file becomes a page, with elements and links.
    readsDocument: (visit, format) => format === 'docx' || (isExtracted(visit) && readsTexts),
    media: mediaOf(recipe),
    unique,
    limits: {
      maxPages: Math.min(
        crawl?.maxPages ?? spending?.pages ?? MAX_PAGES,
        spending?.pages ?? Infinity,
      ),
      maxDepth: crawl?.maxDepth ?? (follows ? FOLLOW_DEPTH : CRAWL_DEPTH),
      maxSeconds: spending?.seconds ?? null,
      maxCredits: spending?.credits ?? null,
    },
    crawl: {
      robots: crawl?.robots ?? true,
      delayMs: crawl?.delayMs ?? 0,
      concurrency: crawl?.concurrency ?? 8,
      together: crawl?.concurrency !== undefined,
    },
    request: {
      headers: request?.headers ?? {},
      headersTo: request?.headers ? originsFor(request.headersTo, named) : [],
      timeoutMs: request?.timeoutMs ?? 30_000,
      render,
    },
    inScope: compileScope(crawl, crawl?.scope ?? (crawls ? 'host' : 'any'), [
      ...named,
      ...foundStarts,
    ]),
    maxAgeMs: maxAgeMs(recipe),
    keeps,
    // The document is read even if this recipe does not need it, because a later recipe may use the
    // stored pages.
    wantsFoundOn: keeps || readsFoundOn(recipe),
    process: (page, visit, budget = new PageBudget()) =>
      processContent(new PageContent(page, visit, budget), visit),
    processContent,
    processParts,
    model,
    answered({ rows: earlier, sources, links, extracted, overrun, cuts }, rows): PageResult {
      const keptRows = rows.filter(extractor.keeps)
      return {
        rows: keptRows,
        links,
        filled: filledOf(extractor, keptRows),
        extracted,
        ...(model !== null &&
          sources && { sources: answeredRuns(model, extractor, sources, earlier, rows) }),
        ...(overrun && { overrun }),
        ...(cuts && { cuts }),
      }
    },
    failed(page, visit): PageResult | null {
      if (recipe.extract?.failed !== true || !isExtracted(visit)) return null
      const trace = new SourceTrace(extractor.columns.length)
      const budget = new PageBudget(FAILED_LIMITS)
      const content = new PageContent(
        {
          url: page.finalUrl ?? page.url,
          contentType: 'application/octet-stream',
          body: NOTHING,
        },
        visit,
        budget,
        factsOfFailed(page, visit),
      )
      const rows = [extractor.readFailed(content, trace)]
      trace.add(budget)
      return {
        rows,
        links: [],
        filled: filledOf(extractor, rows),
        extracted: true,
        sources: trace.runs,
      }
    },
  }
}

/** Checks the carried values, and that fields use only values that a rule carries. */
function checkCarried({ follow = [], extract }: DetectedRecipe, issues: Issue[]): void {
  const carries = follow.flatMap((rule, index) =>
    'carry' in rule && rule.carry !== undefined
      ? [{ carry: rule.carry, path: `follow.${index}.carry` }]
      : [],
  )
  for (const { carry, path } of carries)
    for (const [{ as, model }, own] of sourcesOf(carry, path)) {
      if (model !== undefined)
        issues.push({
          path: `${own}.model`,
          message: 'cannot be carried along: a model reads a page after its links are found',
        })
      if (as === 'media')
        issues.push({
          path: `${own}.as`,
          message: 'cannot be carried along: carry the url, or take the media in extract.fields',
        })
    }
  const names = new Set(carries.flatMap(({ carry }) => Object.keys(carry)))
  const taking = [...carries, { carry: extract?.fields ?? {}, path: 'extract.fields' }]
  for (const { carry, path } of taking)
    for (const [{ carried }, own] of sourcesOf(carry, path))
      if (carried !== undefined && !names.has(carried))
        issues.push({
          path: `${own}.carried`,
          message:
            names.size === 0
              ? 'needs a rule in follow with carry, which names the carried values'
              : `no rule in follow carries ${JSON.stringify(carried)}; carried: ${[...names].join(', ')}`,
        })
}

function filledOf({ columns, isFound }: Extractor, rows: readonly Row[]): Record<string, number> {
  const filled: Record<string, number> = {}
  for (const column of columns)
    filled[column] = rows.reduce(
      (count, row) => (isFound(column, row[column]) ? count + 1 : count),
      0,
    )
  return filled
}

/** The origins that get a recipe's headers. */
function originsFor(
  headersTo: readonly string[] | undefined,
  named: readonly NormalUrl[],
): readonly string[] {
  return headersTo === undefined
    ? originsOf(named)
    : [...new Set(headersTo.map((origin) => new URL(origin).origin))]
}

/** Checks the URL of a file that lists start pages. */
function compileList(address: string | undefined, path: string, issues: Issue[]): NormalUrl | null {
  if (address === undefined) return null
  const { url, problem } = readUrl(address)
  if (problem !== null) issues.push({ path, message: `${JSON.stringify(address)} ${problem}` })
  return url
}

function compileSearch(search: Recipe['start']['search']): StartSearch | null {
  if (search === undefined) return null
  const { query, limit = SEARCH_RESULTS } = typeof search === 'string' ? { query: search } : search
  return { query, limit }
}

/** Formats that a PDF or a workbook can be converted to. */
const OF_TEXT: ReadonlySet<string> = new Set(['markdown', 'text', 'metadata', 'article'])

/**
 * True if a recipe takes anything from a PDF or a workbook. These have text for patterns and
 * models, and a document for JSONPaths, but no elements. Reading one takes longer than fetching it,
 * so one that gives nothing is not read.
 */
function readsTextDocuments({ extract, formats }: DetectedRecipe): boolean {
  const { items, fields } = extract ?? {}
  if (items !== undefined) return items.startsWith('$') || modelItems(items) !== null
  return formats === undefined
    ? fields === undefined || Object.values(fields).some(isOfData)
    : formats.some((format) => OF_TEXT.has(format)) || Object.values(fields ?? {}).some(isOfData)
}

function isOfData(field: Field): boolean {
  return isList(field) ? field.some(isSourceOfData) : isSourceOfData(field)
}

function isSourceOfData(source: string | FieldSource): boolean {
  if (typeof source === 'string') return source.startsWith('$')
  const {
    css,
    xpath,
    cell,
    json,
    jsonld,
    state,
    meta,
    microdata,
    product,
    const: constant,
    url,
    page,
    model,
    regex,
  } = source
  if (css !== undefined || xpath !== undefined || cell !== undefined) return false
  return (
    json !== undefined ||
    model !== undefined ||
    (regex !== undefined &&
      [jsonld, state, meta, microdata, product, constant, url, page].every(
        (other) => other === undefined,
      ))
  )
}

/**
 * Returns the sources of a page's rows after a model has read them. `asked` are the rows before the
 * model, `runs` their sources. A row that only the model found takes page values from the first
 * asked row. Rows that are not kept are skipped.
 */
function answeredRuns(
  { rows: kind, columns: modelColumns }: ModelPlan,
  { columns, keeps }: Extractor,
  runs: readonly SourceRun[],
  earlier: readonly Row[],
  rows: readonly Row[],
): SourceRun[] {
  const isOfPage = kind === 'page' || kind === 'items'
  const codes = [...codesOfRows(runs)]
  const answers = modelColumns.map(({ column, alternative }) => ({
    column,
    at: columns.indexOf(column),
    code: sourceCode(alternative),
  }))
  return toRuns(
    rows.flatMap((row, index) => {
      if (!keeps(row)) return []
      const before = isOfPage ? index : 0
      const answered = answers.flatMap(({ column, at: position, code }) =>
        hasValue(earlier[before]?.[column])
          ? []
          : [[position, hasValue(row[column]) ? code : 0] as const],
      )
      return [withCodes(codes[before] ?? '', answered)]
    }),
  )
}
