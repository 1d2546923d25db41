import { badRequest } from '../../kernel/errors.ts'
import { EVENT_STREAM, EVENT_STREAM_HEADERS } from '../../kernel/http/event-stream.ts'
import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { AGENT_SCOPES } from '../common/run-scopes.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import {
  eventsQuerySchema,
  executionQuerySchema,
  extractInputSchema,
  pagesQuerySchema,
  retryInputSchema,
  runInputSchema,
  startInputSchema,
  taskExecutionQuerySchema,
} from './schema.ts'
import { EVENTS_DESCRIPTION, EVENTS_EXAMPLE, readPosition } from './live/position.ts'
import type { LiveEvents } from './live/live-events.ts'
import type { Executions } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).EXECUTION_EXAMPLES)

/** The routes of executions. */
export function executionRoutes(executions: Executions, live: LiveEvents): AnyRoute[] {
  const moves = [
    ['cancel', 'Cancels an execution'],
    ['pause', 'Pauses an execution'],
    ['resume', 'Queues a paused execution again'],
  ] as const
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/tasks/:id/executions',
      operation: 'executions.start',
      summary: 'Starts an execution of a task',
      scope: 'executions:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: startInputSchema,
      data: answer((all) => all.executionSchema),
      status: 201,
      tagged: true,
      errors: ['PAYMENT_REQUIRED', 'TOO_MANY_REQUESTS'],
      description: 'Without a body the task runs as it is.',
      example: example('start'),
      handler: ({ principal, params, body, preconditions }) =>
        executions.start(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/tasks/:id/executions',
      operation: 'executions.listOfTask',
      summary: 'Lists the executions of a task, newest first',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: taskExecutionQuerySchema,
      data: answer((all) => countedPageSchema(all.executionSchema)),
      example: example('listOfTask'),
      handler: ({ principal, params, query }) => executions.listOfTask(principal, params.id, query),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/executions',
      operation: 'executions.run',
      summary: 'Starts an execution of a recipe without a task',
      scope: 'executions:write',
      limit: 'tasks',
      body: runInputSchema,
      data: answer((all) => all.executionSchema),
      status: 201,
      tagged: true,
      errors: ['NOT_FOUND', 'PAYMENT_REQUIRED', 'TOO_MANY_REQUESTS'],
      description:
        'The recipe is kept with the execution, and no task is made: `taskId` is `null`. `budget` ' +
        'replaces single entries of its budget.',
      example: example('run'),
      handler: ({ principal, body, preconditions }) =>
        executions.run(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions',
      operation: 'executions.list',
      large: true,
      summary: 'Lists executions, newest first',
      scope: 'executions:read',
      limit: 'tasks',
      query: executionQuerySchema,
      data: answer((all) => countedPageSchema(all.executionSchema)),
      example: example('list'),
      handler: ({ principal, query }) => executions.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id',
      operation: 'executions.get',
      summary: 'Reads an execution with its counters',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.executionSchema),
      example: example('get'),
      handler: ({ principal, params }) => executions.get(principal, params.id),
    }),
    ...moves.map(([move, summary]) =>
      defineRoute({
        method: 'POST',
        path: `/api/v1/executions/:id/${move}`,
        operation: `executions.${move}`,
        summary,
        scope: 'executions:write',
        ...(move === 'cancel' && { otherScopes: AGENT_SCOPES }),
        limit: 'tasks',
        params: idParamsSchema,
        data: answer((all) => all.executionSchema),
        tagged: true,
        ifMatch: true,
        example: example(move),
        handler: ({ principal, params, preconditions }) =>
          executions[move](principal, params.id, preconditions),
      }),
    ),
    defineRoute({
      method: 'POST',
      path: '/api/v1/executions/:id/retry',
      operation: 'executions.retry',
      summary: 'Starts a finished execution again',
      scope: 'executions:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: retryInputSchema,
      data: answer((all) => all.executionSchema),
      status: 201,
      tagged: true,
      errors: ['PAYMENT_REQUIRED', 'TOO_MANY_REQUESTS'],
      description:
        'With `{"only": "failed"}` it starts from the pages that failed or were blocked, and ' +
        'follows their links as the recipe says. A page of the first execution that they link to ' +
        'is fetched, and charged, again.',
      example: example('retry'),
      handler: ({ principal, params, body, preconditions }) =>
        executions.retry(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/executions/:id',
      operation: 'executions.delete',
      summary: 'Deletes a finished execution with its rows, pages and page report',
      scope: 'executions:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.executionDeletedSchema),
      ifMatch: true,
      description:
        'Answers 409 for an unfinished execution (cancel it first), while a dataset waits for its ' +
        'rows, and while its media are being deleted. Its data is erased a few minutes later. ' +
        'Ledger, usage, items of datasets and media files stay, and the operator can still refund ' +
        'what it has cost.',
      example: example('delete'),
      handler: ({ principal, params, preconditions }) =>
        executions.delete(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/executions/:id/results',
      operation: 'executions.deleteRows',
      summary: 'Deletes the rows of a finished execution, and keeps the execution',
      scope: 'executions:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.executionSchema),
      tagged: true,
      ifMatch: true,
      description:
        'Answers 409 for an unfinished execution and while a dataset waits for its rows. Its rows ' +
        'are 404 from now on, and erased a few minutes later. Its other data stays, and so do ' +
        'items of datasets and media files. Delete its media first: only the rows name them.',
      example: example('deleteRows'),
      handler: ({ principal, params, preconditions }) =>
        executions.deleteRows(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/executions/:id/media',
      operation: 'executions.deleteMedia',
      summary: 'Deletes the media that the rows of a finished execution name',
      scope: 'media:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.executionSchema),
      tagged: true,
      ifMatch: true,
      description:
        'Deletes each as `DELETE /api/v1/media/{id}` does, even if rows of other executions ' +
        'name it. `mediaDeletion` of the execution says when it ended. Answers 409 for an ' +
        'unfinished execution, and for one whose rows are deleted.',
      example: example('deleteMedia'),
      handler: ({ principal, params, preconditions }) =>
        executions.deleteMedia(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/executions/:id/extract',
      operation: 'executions.extract',
      summary: 'Runs a changed recipe over the pages that a finished execution has kept',
      scope: 'executions:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: extractInputSchema,
      data: answer((all) => all.executionSchema),
      status: 201,
      tagged: true,
      errors: ['PAYMENT_REQUIRED', 'TOO_MANY_REQUESTS'],
      description:
        'A recipe with `"page": { "keep": true }` keeps its pages. A new execution reads them ' +
        'in order, and their outcome is `unchanged`. No page or media is fetched, and no ' +
        'dataset gets the rows. Only fields that a model reads are charged.',
      example: example('extract'),
      handler: ({ principal, params, body, preconditions }) =>
        executions.extract(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id/pages',
      operation: 'executions.pages',
      summary: 'Lists every URL of an execution with its outcome',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: pagesQuerySchema,
      data: answer((all) => countedPageSchema(all.pageReceiptSchema)),
      example: example('pages'),
      handler: ({ principal, params, query }) => executions.pages(principal, params.id, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id/events',
      operation: 'executions.events',
      summary: 'Follows an execution by server-sent events',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: eventsQuerySchema,
      raw: {
        contents: { [EVENT_STREAM]: EVENTS_EXAMPLE },
        headers: { 'X-Accel-Buffering': 'Tells proxies not to buffer events.' },
        requestHeaders: ['Last-Event-ID'],
        empty: 'The last event was already sent: do not reconnect.',
      },
      errors: ['TOO_MANY_REQUESTS'],
      description: EVENTS_DESCRIPTION,
      example: example('events'),
      handler: async ({ principal, params, query, request }) => {
        const lastEventId = request.headers.get('last-event-id')
        const last =
          (lastEventId === null || lastEventId === '' ? query.lastEventId : lastEventId) ?? null
        const from = last === null ? null : readPosition(last)
        if (last !== null && from === null)
          throw badRequest([
            {
              path: lastEventId ? 'Last-Event-ID' : 'lastEventId',
              message: 'must be the id of an event, or 0',
            },
          ])
        // An EventSource reconnects whenever a stream ends, unless it gets a 204.
        if (from === 'end') {
          await executions.get(principal, params.id)
          return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })
        }
        const body = await live.open(principal, params.id, {
          from,
          pages: query.pages !== 'false',
          signal: request.signal,
        })
        return new Response(body, { headers: EVENT_STREAM_HEADERS })
      },
    }),
  ]
}
