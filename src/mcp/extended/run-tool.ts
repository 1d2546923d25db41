import { checkSchema } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import { describeError, failed } from '../tool-error.ts'
import type { ToolOutcome } from '../tool-service.ts'
import { ApiRefusal, ToolFailure } from './api.ts'
import type { Api } from './api.ts'

import { extract } from './extract.ts'
import type { OfferedTools } from './offered-tools.ts'
import { changeOf, fittingRows, itemsOf, NOTICE, objectsIn, pagesOf, warningsOf } from './views.ts'
import { resultLines } from './result-lines.ts'
import { EXTENDED } from '../../features/agentic/extended-tool-schema.ts'
import type { ExtendedName, ExtendedResult } from '../../features/agentic/extended-tool-schema.ts'

type Data = { readonly [name: string]: unknown }
type Handlers = {
  readonly [Name in ExtendedName]: (api: Api, args: unknown) => Promise<ExtendedResult<Name>>
}
type InputSchema<T> = Parameters<typeof checkSchema<T>>[0]

const segment = encodeURIComponent
const textAt = (data: Data, name: string): string => String(data[name] ?? '')

const HANDLERS: Handlers = {
  extract: checked(EXTENDED.extract.input, extract),

  preview: checked(EXTENDED.preview.input, async (api, { recipe, taskId, params }) => {
    const path = taskId === undefined ? '/tasks/preview' : `/tasks/${segment(taskId)}/preview`
    const seen = await api.ask({
      method: 'POST',
      path,
      body: { ...(recipe && { recipe }), ...(params && { params }) },
    })
    const rows = fittingRows(seen['rows'])
    return {
      columns: Array.isArray(seen['columns']) ? seen['columns'].map(String) : [],
      rows,
      filled: Object.fromEntries(
        objectsIn(seen['fields']).map(({ field, rate }) => [String(field), rate]),
      ),
      pages: pagesOf(seen),
      warnings: warningsOf(seen),
      next:
        rows.length === 0
          ? 'No row was found: see warnings.'
          : 'The recipe works. save_task keeps it.',
      notice: NOTICE,
    }
  }),

  map: checked(EXTENDED.map.input, async (api, { url, maxPages = 1, include }) => {
    const recipe = {
      start: { urls: [url] },
      crawl: {
        scope: maxPages === 1 ? 'page' : 'host',
        maxPages,
        maxDepth: 1,
        ...(include && { include }),
      },
      extract: {
        items: 'a[href]',
        fields: { url: { xpath: './@href', as: 'url' }, text: { xpath: '.' } },
      },
      output: { unique: ['url'] },
    }
    const seen = await api.ask({ method: 'POST', path: '/tasks/preview', body: { recipe } })
    const links = new Map(objectsIn(seen['rows']).map((row) => [row['url'], row]))
    return {
      links: fittingRows([...links.values()]),
      pages: pagesOf(seen),
      warnings: warningsOf(seen),
      notice: NOTICE,
    }
  }),

  cancel_run: checked(EXTENDED.cancel_run.input, async (api, { runId }) => {
    const run = await api.ask({ method: 'POST', path: `/executions/${segment(runId)}/cancel` })
    return {
      runId: textAt(run, 'id'),
      status: textAt(run, 'status'),
      next: 'The rows found until now remain: read them with get_run.',
    }
  }),

  query_dataset: checked(
    EXTENDED.query_dataset.input,
    async (api, { datasetId, state, columns, limit, cursor }) => {
      if (datasetId === undefined) {
        const { items, nextCursor } = await api.ask({
          method: 'GET',
          path: '/datasets',
          query: { limit, cursor },
        })
        return {
          columns: ['id', 'name', 'keyFields'],
          items: objectsIn(items).map(({ id, name, keyFields }) => ({ id, name, keyFields })),
          nextCursor: typeof nextCursor === 'string' ? nextCursor : null,
          notice: NOTICE,
        }
      }
      const answer = await api.ask({
        method: 'GET',
        path: `/datasets/${segment(datasetId)}/items`,
        query: { state, fields: columns?.join(','), limit, cursor },
      })
      const withState = state === 'gone' || state === 'all'
      return {
        columns: Array.isArray(answer['columns']) ? answer['columns'].map(String) : [],
        items: itemsOf(answer['items'], withState),
        nextCursor: typeof answer['nextCursor'] === 'string' ? answer['nextCursor'] : null,
        notice: NOTICE,
      }
    },
  ),

  dataset_changes: checked(
    EXTENDED.dataset_changes.input,
    async (api, { datasetId, kinds, from, limit, cursor }) => {
      const feed = await api.ask({
        method: 'GET',
        path: `/datasets/${segment(datasetId)}/changes`,
        query: { kinds: kinds?.join(','), from, limit, cursor },
      })
      return {
        changes: objectsIn(feed['items']).map(changeOf),
        nextCursor: textAt(feed, 'nextCursor'),
        missed: Number(feed['missed'] ?? 0),
        notice: NOTICE,
      }
    },
  ),

  watch: checked(
    EXTENDED.watch.input,
    async (api, { name, recipe, key, cron = '@daily', timeZone, notifyUrl }) => {
      const dataset = await api.ask({
        method: 'POST',
        path: '/datasets',
        body: { name, keyFields: key },
      })
      const datasetId = textAt(dataset, 'id')
      const undo = [`/datasets/${segment(datasetId)}`]
      try {
        const schedule = { cron, ...(timeZone !== undefined && { timeZone }) }
        const task = await api.ask({
          method: 'POST',
          path: '/tasks',
          body: { name, recipe, schedule, datasetId },
        })
        const taskId = textAt(task, 'id')
        undo.unshift(`/tasks/${segment(taskId)}`)
        const webhook =
          notifyUrl === undefined
            ? null
            : await api.ask({
                method: 'POST',
                path: '/webhooks',
                body: { url: notifyUrl, events: ['dataset.changed'], taskIds: [taskId] },
              })
        return {
          taskId,
          datasetId,
          webhookId: webhook && textAt(webhook, 'id'),
          webhookSecret: webhook && textAt(webhook, 'secret'),
          next: `It runs by ${cron}. Read what is new with dataset_changes and datasetId "${datasetId}".`,
        }
      } catch (error) {
        // Without its schedule the watch would cost credits or take a place, and nobody would
        // notice it.
        for (const path of undo) await api.ask({ method: 'DELETE', path }).catch(() => null)
        throw error
      }
    },
  ),

  save_task: checked(
    EXTENDED.save_task.input,
    async (api, { name, recipe, description, cron, timeZone, datasetId }) => {
      const schedule =
        cron === undefined ? null : { cron, ...(timeZone !== undefined && { timeZone }) }
      const task = await api.ask({
        method: 'POST',
        path: '/tasks',
        body: {
          name,
          recipe,
          ...(description !== undefined && { description }),
          ...(schedule && { schedule }),
          ...(datasetId !== undefined && { datasetId }),
        },
      })
      return {
        taskId: textAt(task, 'id'),
        name: textAt(task, 'name'),
        status: textAt(task, 'status'),
        next: '`preview` takes its taskId. People find it in the console and the API.',
      }
    },
  ),
}

/**
 * Runs a tool. Wrong arguments, and refusals of the service, are results that agents can read. A
 * refused credential is also passed on, because its status tells a client with an expired token to
 * sign in again.
 */
export async function runTool(
  api: Api,
  {
    name,
    args,
    offeredFor,
  }: {
    readonly name: ExtendedName
    readonly args: unknown
    /** The tools that a text for the agent may name. */
    readonly offeredFor: (text: string) => Promise<OfferedTools>
  },
): Promise<ToolOutcome> {
  const outcome = async (): Promise<Pick<ToolOutcome, 'refusal' | 'result'>> => {
    try {
      const made: Data = { ...(await HANDLERS[name](api, args ?? {})) }
      const { next } = made
      const result =
        typeof next === 'string' ? { ...made, next: (await offeredFor(next)).text(next) } : made
      const content = [{ type: 'text' as const, text: resultLines(result) }]
      return { refusal: null, result: { structuredContent: result, content } }
    } catch (error) {
      const refused =
        error instanceof ApiRefusal
          ? error
          : error instanceof ToolFailure
            ? { refusal: null, result: failed(error.message) }
            : null
      if (refused === null) throw error
      const { refusal, result } = refused
      // A refused caller is not asked about again.
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''))
      const offered = await offeredFor(refusal === null ? texts.join(' ') : '')
      return { refusal, result: offered.failure(result) }
    }
  }
  return { ...(await outcome()), rates: api.rates }
}

/** A handler that gets only arguments that its schema accepts. */
function checked<T, R>(
  schema: InputSchema<T>,
  run: (api: Api, args: T) => Promise<R>,
): (api: Api, args: unknown) => Promise<R> {
  return async (api, args) => run(api, accepted(schema, args))
}

/** @throws {ToolFailure} naming each wrong argument */
function accepted<T>(schema: InputSchema<T>, args: unknown): T {
  const result = checkSchema(schema, isObject(args) ? args : {})
  if (result.issues === null) return result.output
  const issues = result.issues.map(({ path, message }) =>
    path === '' ? `arguments: ${message}` : `arguments.${path}: ${message}`,
  )
  throw new ToolFailure(
    describeError({
      requestId: null,
      retryAfter: null,
      lacksScope: false,
      error: { code: 'BAD_REQUEST', message: issues.join('; '), issues: [] },
    }),
  )
}
