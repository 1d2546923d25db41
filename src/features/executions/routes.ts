import { defineRoute } from '../../kernel/route.ts'
import type { AnyRoute } from '../../kernel/route.ts'
import { idParamsSchema, pageSchema } from '../list-schema.ts'
import { EXECUTION_EXAMPLES } from './examples.ts'
import { executionQuerySchema, executionSchema, pageReceiptSchema, pagesQuerySchema, startInputSchema, taskExecutionQuerySchema } from './schema.ts'
import type { Executions } from './service.ts'

/** The executions' part of the route table (design 4.3). */
export function executionRoutes(executions: Executions): AnyRoute[] {
  const moves = [
    ['cancel', 'Cancels an execution'],
    ['pause', 'Pauses an execution'],
    ['resume', 'Queues a paused execution again'],
  ] as const
  return [
    defineRoute({
      method: 'POST', path: '/api/v1/tasks/:id/executions', operation: 'executions.start', summary: 'Starts an execution of a task', scope: 'executions:write', limit: 'tasks',
      params: idParamsSchema, body: startInputSchema, data: executionSchema, status: 201,
      tagged: true,
      description: 'Without a body the task runs as it is.',
      example: EXECUTION_EXAMPLES.start,
      handler: ({ principal, params, body, terms }) => executions.start(principal, params.id, body, terms),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/tasks/:id/executions', operation: 'executions.listOfTask', summary: 'Lists the executions of a task, newest first', scope: 'executions:read', limit: 'tasks',
      params: idParamsSchema, query: taskExecutionQuerySchema, data: pageSchema(executionSchema),
      example: EXECUTION_EXAMPLES.listOfTask,
      handler: ({ principal, params, query }) => executions.listOfTask(principal, params.id, query),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/executions', operation: 'executions.list', summary: 'Lists executions, newest first', scope: 'executions:read', limit: 'tasks',
      query: executionQuerySchema, data: pageSchema(executionSchema),
      example: EXECUTION_EXAMPLES.list,
      handler: ({ principal, query }) => executions.list(principal, query),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/executions/:id', operation: 'executions.read', summary: 'Reads an execution with its counters', scope: 'executions:read', limit: 'tasks',
      params: idParamsSchema, data: executionSchema,
      example: EXECUTION_EXAMPLES.read,
      handler: ({ principal, params }) => executions.read(principal, params.id),
    }),
    ...moves.map(([move, summary]) =>
      defineRoute({
        method: 'POST', path: `/api/v1/executions/:id/${move}`, operation: `executions.${move}`, summary, scope: 'executions:write', limit: 'tasks',
        params: idParamsSchema, data: executionSchema,
        tagged: true, ifMatch: true,
        example: EXECUTION_EXAMPLES[move],
        handler: ({ principal, params, terms }) => executions[move](principal, params.id, terms),
      }),
    ),
    defineRoute({
      method: 'POST', path: '/api/v1/executions/:id/retry', operation: 'executions.retry', summary: 'Starts a finished execution anew', scope: 'executions:write', limit: 'tasks',
      params: idParamsSchema, data: executionSchema, status: 201,
      tagged: true,
      example: EXECUTION_EXAMPLES.retry,
      handler: ({ principal, params, terms }) => executions.retry(principal, params.id, terms),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/executions/:id/pages', operation: 'executions.pages', summary: 'Lists every URL of an execution with its outcome', scope: 'executions:read', limit: 'tasks',
      params: idParamsSchema, query: pagesQuerySchema, data: pageSchema(pageReceiptSchema),
      example: EXECUTION_EXAMPLES.pages,
      handler: ({ principal, params, query }) => executions.pages(principal, params.id, query),
    }),
  ]
}
