import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { EXPORT_ANSWER, downloadOf } from '../common/downloads.ts'
import { AGENT_SCOPES } from '../common/run-scopes.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { exportQuerySchema, resultsQuerySchema } from './schema.ts'
import type { Results } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const FILE_ROUTES = [
  ['export', 'Exports the rows of an execution as a file'],
  ['download', 'Returns the same file at another path'],
] as const

const example = examplesFrom(async () => (await import('./examples.ts')).RESULT_EXAMPLES)

/** The routes of results. */
export function resultRoutes(results: Results): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id/results',
      operation: 'results.list',
      summary: 'Lists the rows of an execution',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: resultsQuerySchema,
      data: answer((all) => all.resultsSchema),
      large: true,
      example: example('list'),
      handler: (call) => results.list(call.principal, call.params.id, call.query, () => call.base),
    }),
    // The same route under two names.
    ...FILE_ROUTES.map(([name, summary]) =>
      defineRoute({
        method: 'GET',
        path: `/api/v1/executions/:id/results/${name}`,
        operation: `results.${name}`,
        summary,
        scope: 'executions:read',
        otherScopes: AGENT_SCOPES,
        limit: 'tasks',
        params: idParamsSchema,
        query: exportQuerySchema,
        description:
          'The file is streamed, so its size is not limited. If it cannot start, the response is ' +
          'an error in the envelope. An account may have 64 downloads at the same time, unless ' +
          'the operator changes that: 429 beyond it. For a run of an agent, the scope of its ' +
          'tool is enough.',
        raw: EXPORT_ANSWER,
        errors: ['TOO_MANY_REQUESTS', 'UNPROCESSABLE_CONTENT'],
        example: example('export'),
        handler: async (call) =>
          downloadOf(
            await results.export(call.principal, call.params.id, call.query, () => call.base),
          ),
      }),
    ),
  ]
}
