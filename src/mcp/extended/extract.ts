import { isObject } from '../../kernel/json.ts'
import { ApiRefusal, ToolFailure } from './api.ts'
import type { Api } from './api.ts'
import { fittingRows, NOTICE, objectsIn, pagesOf, warningsOf } from './views.ts'
import type {
  ExtendedArguments,
  ExtendedResult,
} from '../../features/agentic/extended-tool-schema.ts'
import { learned, withColumns } from './learn-sources.ts'
import { exactGroups, likelyGroup, namedGroups, namedProbeOf } from './short-list.ts'
import { probeOf, sourcesIn } from './short-list.ts'
import type { Group } from './short-list.ts'
import { questionFor, sourceFor } from './source-of.ts'
import { asksForList, columnFor, wantedIn, wantedOf } from './wanted.ts'
import { MOST_COLUMNS, MOST_LEVELS, MOST_PARTS } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** A recipe, and the wanted values for which it has no source. */
interface Made {
  readonly recipe: Data
  readonly missing: readonly string[]
}

/** The same for a proposal, with its columns that were not asked for. */
interface Chosen extends Made {
  readonly unused: Data
  /** If a group is read as rows, this replaces the warning that a group may be the rows. */
  readonly doubts?: readonly string[]
}

/** A source for a wanted value. */
interface Choice {
  readonly name: string
  /** The detected column. `null`: the value is in no column. */
  readonly column: string | null
  readonly source: unknown
}

/** Finds values on a page, with the recipe that finds them again. All reading is by previews. */
export async function extract(
  api: Api,
  { url, schema, fields, items, wanted: words }: ExtendedArguments<'extract'>,
): Promise<ExtendedResult<'extract'>> {
  if ([schema, fields, words].filter((way) => way !== undefined).length > 1)
    throw new ToolFailure('BAD_REQUEST: give only one of schema, fields and wanted. Call again.')
  if (items !== undefined && fields === undefined)
    throw new ToolFailure('BAD_REQUEST: items needs fields. Correct the arguments and call again.')
  const start = { urls: [url] }
  if (fields !== undefined) {
    const recipe = { start, extract: { ...(items !== undefined && { items }), fields } }
    return answer(url, { recipe, missing: [] }, await previewOf(api, recipe))
  }
  const values = schema ? wantedOf(schema) : words === undefined ? [] : wantedIn(words)
  if (schema && values.length === 0)
    throw new ToolFailure(
      'BAD_REQUEST: arguments.schema names no properties: give a JSON Schema with properties, or ' +
        'a list of such objects in items. Correct the arguments and call again.',
    )
  demandReadable(values)
  const detected = await previewOf(api, { start, extract: 'auto' })
  const proposals = objectsIn(detected['proposals'])
  const proposal = isObject(detected['proposal']) ? detected['proposal'] : null
  const all = proposals.length > 0 ? proposals : proposal ? [proposal] : []
  if (all.length === 0)
    throw new ToolFailure(
      `NOT_FOUND: nothing could be detected on ${url}. Give selectors in fields, or try another ` +
        `page. ${NOTICE} ${warningsOf(detected).join(' ')}`,
    )
  const repeated = undetectedIn(detected)
  if (values.length === 0) {
    const recipe = all[0] && isObject(all[0]['recipe']) ? all[0]['recipe'] : {}
    return answer(url, { recipe, missing: [] }, await previewOf(api, recipe), {
      undetected: repeated,
    })
  }
  const isList = schema !== undefined && asksForList(schema)
  // One row for the whole page is no list, though it has a title and an address.
  const fitting = isList ? all.filter(({ kind }) => kind !== 'page') : all
  const made =
    fitting.length > 0
      ? bestOf(fitting, values, await namedIn(api, { start, fitting, values, detected }))
      : await shortListOf(api, { start, schema, values, detected })
  const undetected = made.doubts ?? repeated
  const questions = made.missing.length === 0 ? null : withQuestions(made, values)
  if (questions) {
    const probe = withColumns(questions.recipe, made.unused)
    // A platform without a model refuses such a recipe. Then only the other values are returned.
    const read = await previewOf(api, probe.recipe).catch((error: unknown) => {
      if (error instanceof ApiRefusal && (error.status === 400 || error.status === 404)) return null
      throw error
    })
    if (read) {
      const missing = values.filter(({ name }) => made.missing.includes(name))
      const { recipe, preview, unlearned } = learned(questions.recipe, probe, {
        questions: missing,
        preview: read,
      })
      return answer(url, { ...questions, recipe }, preview, { undetected, unlearned })
    }
  }
  if (made.missing.length === values.length) {
    const columns = columnsOf(fitting)
    throw new ToolFailure(
      [
        `NOT_FOUND: none of ${made.missing.slice(0, 20).join(', ')} was found on ${url}.`,
        columns.length > 0
          ? 'Ask for detected columns, or give selectors in fields.'
          : 'Give selectors in fields.',
        ...scriptsIn(detected),
        NOTICE,
        ...(columns.length > 0 ? [`Detected columns: ${columns.join(', ')}.`] : []),
        ...undetected,
      ].join(' '),
    )
  }
  return answer(url, made, await previewOf(api, made.recipe), { undetected })
}

/** The groups that have lists of values of a page, by the names of the values. */
async function namedIn(
  api: Api,
  {
    start,
    fitting,
    values,
    detected,
  }: {
    readonly start: Data
    readonly fitting: readonly Data[]
    readonly values: readonly Wanted[]
    readonly detected: Data
  },
): Promise<ReadonlyMap<string, Group>> {
  const ofPages = fitting.map(partsOf).filter(({ rest }) => rest['items'] === undefined)
  const lists = values.filter(
    ({ name, many, parts }) =>
      many &&
      parts.length === 0 &&
      ofPages.some(({ fields }) => columnFor(name, Object.keys(fields)) === null),
  )
  const groups = namedGroups(lists, detected)
  return groups.size === 0
    ? groups
    : exactGroups(groups, await previewOf(api, { start, extract: namedProbeOf(groups) }))
}

/**
 * The rows of a list that detection takes for none, such as one of single words. Without a group
 * that has the values, a model looks for the rows.
 */
async function shortListOf(
  api: Api,
  {
    start,
    schema = {},
    values,
    detected,
  }: {
    readonly start: Data
    readonly schema: Data | undefined
    readonly values: readonly Wanted[]
    readonly detected: Data
  },
): Promise<Chosen> {
  const names = values.map(({ name }) => name)
  const around = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const group = likelyGroup(detected, [...around, ...names])
  const sources = group
    ? sourcesIn(group, await previewOf(api, { start, extract: probeOf(group) }), values)
    : new Map<string, Data>()
  const fields = values.flatMap((value) => {
    const source = sources.get(value.name)
    return source ? [[value.name, sourceFor(source, value)] as const] : []
  })
  const isGroup = group !== null && fields.length > 0
  const items = isGroup
    ? group.items
    : `:model(${`each item that has ${names.join(', ')}`.slice(0, 900)})`
  return {
    recipe: { start, extract: { items, fields: Object.fromEntries(fields) } },
    unused: {},
    missing: names.filter((name) => !sources.has(name)),
    ...(isGroup && {
      doubts: [`${group.reason} They are taken as the rows: check that they are.`],
    }),
  }
}

/** A recipe takes no longer names. */
const LONGEST_NAME = 128

/** @throws {ToolFailure} for a schema that would make a recipe without measure */
function demandReadable(values: readonly Wanted[]): void {
  const all = values.flatMap((value) => withParts(value, value.name))
  const parts = all.length - values.length
  const isLong = all.some(({ value }) => value.name.length > LONGEST_NAME)
  const deep = all.find(({ value }) => value.isTooDeep)
  const refusal =
    values.length > MOST_COLUMNS
      ? `has more than ${MOST_COLUMNS} properties. Ask for those that are needed.`
      : parts > MOST_PARTS
        ? `has more than ${MOST_PARTS} properties in objects below its columns. Ask for those that ` +
          'are needed.'
        : isLong
          ? `has a property whose name is longer than ${LONGEST_NAME} characters. Give it a shorter one.`
          : deep !== undefined
            ? `has an object at ${deep.path.slice(0, 200)}, within ${MOST_LEVELS} others. Make its ` +
              'properties those of an object above it, or leave it out.'
            : null
  if (refusal !== null) throw new ToolFailure(`BAD_REQUEST: arguments.schema ${refusal}`)
}

/** A wanted value and all its parts, each with its path. */
function withParts(
  value: Wanted,
  path: string,
): readonly { readonly value: Wanted; readonly path: string }[] {
  return [
    { value, path },
    ...value.parts.flatMap((part) => withParts(part, `${path}.${part.name}`)),
  ]
}

/** The groups that repeat on a page without a list, in words of this tool. */
function undetectedIn({ warnings }: Data): string[] {
  return objectsIn(warnings)
    .filter(({ code }) => code === 'nothing_detected')
    .map(
      ({ message }) => `${String(message).replace('with extract.items', 'in items, with fields')}.`,
    )
}

/** The warning that scripts write a page, so it has no values without them. */
function scriptsIn({ warnings }: Data): string[] {
  return objectsIn(warnings)
    .filter(({ code }) => code === 'needs_scripts')
    .map(({ message }) => `${String(message)}.`)
}

function previewOf(api: Api, recipe: Data): Promise<Data> {
  return api.ask({ method: 'POST', path: '/tasks/preview', body: { recipe } })
}

function answer(
  url: string,
  { recipe, missing }: Made,
  preview: Data,
  {
    undetected = [],
    unlearned = [],
  }: { readonly undetected?: readonly string[]; readonly unlearned?: readonly string[] } = {},
): ExtendedResult<'extract'> {
  const rows = fittingRows(preview['rows'])
  return {
    url,
    columns: Array.isArray(preview['columns']) ? preview['columns'].map(String) : [],
    rows,
    missing: [...missing],
    recipe,
    pages: pagesOf(preview),
    warnings: [...undetected, ...warningsOf(preview)],
    next:
      rows.length === 0
        ? 'No row was found. See warnings and pages.'
        : 'The recipe reads these values again. `preview` runs it; save_task keeps it; `watch` runs it ' +
          'by a schedule.' +
          (unlearned.length === 0
            ? ''
            : ` A model is asked for ${unlearned.join(', ')}, which costs credits on each page that it ` +
              'has not read lately.'),
    notice: NOTICE,
  }
}

/** The fields of a proposal's recipe, with the rest of what it extracts. */
function partsOf(proposal: Data): { recipe: Data; rest: Data; fields: Data } {
  const recipe = isObject(proposal['recipe']) ? proposal['recipe'] : {}
  const { fields, ...rest } = isObject(recipe['extract']) ? recipe['extract'] : {}
  return { recipe, rest, fields: isObject(fields) ? fields : {} }
}

function columnsOf(proposals: readonly Data[]): readonly string[] {
  return [...new Set(proposals.flatMap((proposal) => Object.keys(partsOf(proposal).fields)))].slice(
    0,
    40,
  )
}

/** The proposal with most of the wanted values. Of equal ones it is the first. */
function bestOf(
  proposals: readonly Data[],
  values: readonly Wanted[],
  groups: ReadonlyMap<string, Group>,
): Chosen {
  const made = proposals.map((proposal): Chosen => {
    const { recipe, rest, fields } = partsOf(proposal)
    const columns = Object.keys(fields)
    const chosen = values.flatMap((value): readonly Choice[] => {
      // A page has no column of objects.
      const column = value.parts.length > 0 ? null : columnFor(value.name, columns)
      if (column !== null)
        return [{ name: value.name, column, source: sourceFor(fields[column], value) }]
      // Single values that repeat on the page are in one row.
      const group = rest['items'] === undefined ? groups.get(value.name) : undefined
      return group ? [{ name: value.name, column, source: { css: group.items, many: true } }] : []
    })
    const names = chosen.map(({ name }) => name)
    const doubts = chosen.flatMap(({ name, column }) => {
      const group = column === null ? groups.get(name) : undefined
      return group ? [`${group.reason} They are taken as ${name}: see that they are.`] : []
    })
    const used = chosen.flatMap(({ column }) => column ?? [])
    const sources = Object.fromEntries(chosen.map(({ name, source }) => [name, source]))
    return {
      recipe: { ...recipe, extract: { ...rest, fields: sources } },
      unused: Object.fromEntries(Object.entries(fields).filter(([name]) => !used.includes(name))),
      missing: values.flatMap(({ name }) => (names.includes(name) ? [] : [name])),
      ...(doubts.length > 0 && { doubts }),
    }
  })
  return (
    made.toSorted((left, right) => left.missing.length - right.missing.length)[0] ?? {
      recipe: {},
      unused: {},
      missing: values.map(({ name }) => name),
    }
  )
}

/** The same recipe, which asks a model for what is missing. */
function withQuestions({ recipe, missing }: Made, values: readonly Wanted[]): Made {
  const parts = isObject(recipe['extract']) ? recipe['extract'] : {}
  const questions = values
    .filter(({ name }) => missing.includes(name))
    .map((value) => [value.name, questionFor(value)])
  const fields = {
    ...(isObject(parts['fields']) ? parts['fields'] : {}),
    ...Object.fromEntries(questions),
  }
  return { recipe: { ...recipe, extract: { ...parts, fields } }, missing: [] }
}
