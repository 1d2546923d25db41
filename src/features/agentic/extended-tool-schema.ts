import * as v from 'valibot'
import { wholeNumber } from '../../kernel/schema.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { ToolHints } from './tool-schema.ts'

const say = v.description
const text = (most: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most))
const anyObject = v.record(v.string(), v.unknown())
const url = v.pipe(text(2_048), say('A URL (http or https).'))
const recipe = v.pipe(
  anyObject,
  say('A recipe: `start`, `extract` and more, as extract and preview return it.'),
)
const cursor = v.pipe(text(2_000), say('nextCursor of the previous result.'))
const limit = v.pipe(wholeNumber(1, 100), say('Default 20.'))
const cron = v.pipe(
  text(200),
  say('Minute, hour, day, month and weekday, or `@hourly`, `@daily`, `@weekly`, `@monthly`.'),
)
const timeZone = v.pipe(text(64), say('IANA name; default `UTC`.'))
const rows = v.array(anyObject)
const pages = v.array(
  v.strictObject({ url: v.string(), outcome: v.string(), reason: v.nullable(v.string()) }),
)
const warnings = v.array(v.string())
const notice = v.pipe(v.string(), say('How far to trust quoted text.'))
const next = v.pipe(v.string(), say('What to do next.'))

const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
const BROWSES: ToolHints = { ...READS, openWorldHint: true }
const WRITES: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}

/** One of these scopes is needed for each entry of the outer list. */
type ScopeRule = readonly (readonly Scope[])[]
const needs = (...all: ScopeRule): ScopeRule => all

/** Schemas and metadata of the tools that a host may offer beside the six basic ones. */
export const EXTENDED = {
  extract: {
    title: 'Extract typed rows from a page',
    description:
      'Finds values on a page and returns them as typed rows, with the recipe that found them. ' +
      'Name the values by `schema` (JSON Schema), by `fields` (selectors), or by `wanted` ' +
      '(names in plain words); by default it returns the items that repeat. Free: reads at ' +
      'most 5 pages and 100 rows. To get all rows later, pass `recipe` to save_task.',
    scopes: needs(['tasks:write', 'mcp:extract']),
    annotations: BROWSES,
    input: v.strictObject({
      url,
      schema: v.exactOptional(
        v.pipe(
          anyObject,
          say('JSON Schema of a row, or of a list of rows. Its properties name the columns.'),
        ),
      ),
      fields: v.exactOptional(
        v.pipe(
          anyObject,
          say('Column → CSS selector, XPath or source of a recipe: `{"price": ".price"}`.'),
        ),
      ),
      items: v.exactOptional(
        v.pipe(text(1_000), say('With `fields`: selector of the rows. Absent: the page is a row.')),
      ),
      wanted: v.exactOptional(
        v.pipe(text(500), say('Names of the wanted values: `title, price and rating`.')),
      ),
    }),
    output: v.strictObject({
      url: v.string(),
      columns: v.array(v.string()),
      rows,
      missing: v.pipe(v.array(v.string()), say('Wanted values without a source on the page.')),
      recipe,
      pages,
      warnings,
      next,
      notice,
    }),
  },
  preview: {
    title: 'Preview a recipe',
    description:
      'Runs a recipe, or that of a task, on its first pages and reports rows, how well each ' +
      'column is filled, and warnings. Free: at most 5 pages and 20 seconds. Nothing is stored.',
    scopes: needs(['tasks:write', 'mcp:extract']),
    annotations: BROWSES,
    input: v.pipe(
      v.strictObject({
        recipe: v.exactOptional(recipe),
        taskId: v.exactOptional(v.pipe(text(200), say('Needs tasks:write.'))),
        params: v.exactOptional(v.pipe(anyObject, say("Values of the recipe's parameters."))),
      }),
      v.check(
        ({ recipe: ownRecipe, taskId }) => (ownRecipe === undefined) !== (taskId === undefined),
        'needs either recipe or taskId',
      ),
    ),
    output: v.strictObject({
      columns: v.array(v.string()),
      rows,
      filled: v.pipe(anyObject, say('Column → share of rows with a value, 0–1.')),
      pages,
      warnings,
      next,
      notice,
    }),
  },
  map: {
    title: 'List the links of a site',
    description:
      'Lists links of a page with their texts, and those of the pages that it links to on the ' +
      'same host, up to 5 pages and 100 links. Free. Use it to find where to fetch, extract or ' +
      'crawl.',
    scopes: needs(['tasks:write', 'mcp:extract']),
    annotations: BROWSES,
    input: v.strictObject({
      url,
      maxPages: v.exactOptional(
        v.pipe(wholeNumber(1, 5), say('Pages to read links from; default 1.')),
      ),
      include: v.exactOptional(
        v.pipe(v.array(text(500)), v.maxLength(50), say('URL patterns, such as `**/docs/**`.')),
      ),
    }),
    output: v.strictObject({ links: rows, pages, warnings, notice }),
  },
  cancel_run: {
    title: 'Cancel a run',
    description: 'Stops a run. Its rows so far are kept, and its cost is not refunded.',
    scopes: needs(['executions:write', 'mcp:crawl', 'mcp:templates']),
    annotations: { ...WRITES, destructiveHint: true, idempotentHint: true },
    input: v.strictObject({ runId: v.pipe(text(200), say('runId of the run.')) }),
    output: v.strictObject({ runId: v.string(), status: v.string(), next }),
  },
  query_dataset: {
    title: 'Read a dataset',
    description:
      'Returns items of a dataset: rows of all runs, merged by key. With `state` `gone` or `all` ' +
      'each has `_state` and `_changedAt`. Without `datasetId` it lists the datasets with their ' +
      'ids and key columns.',
    scopes: needs(['datasets:read']),
    annotations: READS,
    input: v.strictObject({
      datasetId: v.exactOptional(text(200)),
      state: v.exactOptional(
        v.pipe(v.picklist(['present', 'gone', 'all']), say('Default `present`.')),
      ),
      columns: v.exactOptional(v.pipe(v.array(text(128)), v.maxLength(100), say('Default: all.'))),
      limit: v.exactOptional(limit),
      cursor: v.exactOptional(cursor),
    }),
    output: v.strictObject({
      columns: v.array(v.string()),
      items: rows,
      nextCursor: v.nullable(v.string()),
      notice,
    }),
  },
  dataset_changes: {
    title: 'Read the changes of a dataset',
    description:
      'Returns what was added, changed, went or came back since `cursor`, oldest first. Keep ' +
      '`nextCursor` for the next call: it waits for later changes.',
    scopes: needs(['datasets:read']),
    annotations: READS,
    input: v.strictObject({
      datasetId: text(200),
      kinds: v.exactOptional(
        v.pipe(v.array(v.picklist(['added', 'changed', 'gone', 'returned'])), v.maxLength(4)),
      ),
      from: v.exactOptional(
        v.pipe(v.picklist(['start', 'now']), say('The start if there is no cursor.')),
      ),
      limit: v.exactOptional(limit),
      cursor: v.exactOptional(cursor),
    }),
    output: v.strictObject({
      changes: v.pipe(
        rows,
        say(
          'kind, at and key; `values` of a new item; `fields` of a changed one, before and after.',
        ),
      ),
      nextCursor: v.string(),
      missed: v.pipe(v.number(), say('Changes that were deleted before they were read.')),
      notice,
    }),
  },
  watch: {
    title: 'Watch a page or a site',
    description:
      'Runs a recipe by a schedule and merges its rows into a new dataset: dataset_changes ' +
      'then returns what is new. Give the `recipe` of an `extract`. Every run ' +
      'costs credits.',
    scopes: needs(['tasks:write'], ['datasets:write'], ['executions:write']),
    annotations: { ...WRITES, openWorldHint: true },
    input: v.strictObject({
      name: text(200),
      recipe,
      key: v.pipe(
        v.array(text(128)),
        v.minLength(1),
        v.maxLength(20),
        say('Columns that together identify a row, such as `["url"]`.'),
      ),
      cron: v.exactOptional(v.pipe(cron, say('Default `@daily`.'))),
      timeZone: v.exactOptional(timeZone),
      notifyUrl: v.exactOptional(
        v.pipe(
          text(2_048),
          say('An https URL that gets an event at each change; needs webhooks:write.'),
        ),
      ),
    }),
    output: v.strictObject({
      taskId: v.string(),
      datasetId: v.string(),
      webhookId: v.nullable(v.string()),
      webhookSecret: v.pipe(
        v.nullable(v.string()),
        say('Signs the events. It is shown once: give it to the owner of notifyUrl.'),
      ),
      next,
    }),
  },
  save_task: {
    title: 'Save a recipe as a task',
    description:
      'Saves a recipe under a name, so that it can be run again, scheduled and previewed. Nothing ' +
      'is fetched, unless `cron` starts it.',
    scopes: needs(['tasks:write']),
    annotations: WRITES,
    input: v.strictObject({
      name: text(200),
      recipe,
      description: v.exactOptional(text(2_000)),
      cron: v.exactOptional(v.pipe(cron, say('Runs it by a schedule; needs executions:write.'))),
      timeZone: v.exactOptional(timeZone),
      datasetId: v.exactOptional(v.pipe(text(200), say('Merges its rows into this dataset.'))),
    }),
    output: v.strictObject({ taskId: v.string(), name: v.string(), status: v.string(), next }),
  },
} as const

/** Name of a tool beside the six basic ones. */
export type ExtendedName = keyof typeof EXTENDED

/** The arguments of such a tool, after its schema has accepted them. */
export type ExtendedArguments<Name extends ExtendedName> = v.InferOutput<
  (typeof EXTENDED)[Name]['input']
>

/** The result of such a tool. */
export type ExtendedResult<Name extends ExtendedName> = v.InferOutput<
  (typeof EXTENDED)[Name]['output']
>

/** True for the name of a tool beside the six basic ones. */
export function isExtended(name: string): name is ExtendedName {
  return Object.hasOwn(EXTENDED, name)
}
