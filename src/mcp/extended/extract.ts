import { isObject } from '../../kernel/json.ts'
import { ApiRefusal, ToolFailure } from './api.ts'
import type { Api } from './api.ts'
import { bestOf, columnsOf, withQuestions } from './choose-sources.ts'
import type { RecipeOfWanted } from './choose-sources.ts'
import { fittingRows, NOTICE, objectsIn, pagesOf, warningsOf } from './views.ts'
import type {
  ExtendedArguments,
  ExtendedResult,
} from '../../features/agentic/extended-tool-schema.ts'
import { learned, withColumns } from './learn-sources.ts'
import { namedIn, previewOf, shortListOf } from './probe-groups.ts'
import { readWanted } from './read-wanted.ts'
import { asksForList } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** Finds values on a page, and the recipe that finds them again. Previews do all reading. */
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
  const values = readWanted({ schema, wanted: words })
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
  // One row for the whole page is not a list, although it has a title and an address.
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

/** The groups that repeat on a page without a list, as a text of this tool. */
function undetectedIn({ warnings }: Data): string[] {
  return objectsIn(warnings)
    .filter(({ code }) => code === 'nothing_detected')
    .map(
      ({ message }) => `${String(message).replace('with extract.items', 'in items, with fields')}.`,
    )
}

/** The warning that scripts write a page, so that it has no values without them. */
function scriptsIn({ warnings }: Data): string[] {
  return objectsIn(warnings)
    .filter(({ code }) => code === 'needs_scripts')
    .map(({ message }) => `${String(message)}.`)
}

function answer(
  url: string,
  { recipe, missing }: RecipeOfWanted,
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
              'has not read for a week, and nothing on this one.'),
    notice: NOTICE,
  }
}
