import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { estimateInputSchema } from './schema.ts'
import type { Estimates } from './service.ts'
import { startInputSchema } from '../executions/schema.ts'

const answer = answersFrom(() => import('./answers.ts'))

const ESTIMATE = {
  method: 'POST',
  scope: 'tasks:read',
  limit: 'tasks',
  repeatable: true,
  data: answer((all) => all.estimateSchema),
} as const
const DESCRIPTION =
  'The maximum cost of an execution, what limits it, and whether the wallet covers ' +
  'it. Nothing is fetched, written or reserved.'

const example = examplesFrom(async () => (await import('./examples.ts')).ESTIMATE_EXAMPLES)

/** The routes of estimates. */
export function estimateRoutes(estimates: Estimates): AnyRoute[] {
  return [
    defineRoute({
      ...ESTIMATE,
      path: '/api/v1/tasks/estimate',
      operation: 'estimates.recipe',
      summary: 'Estimates the cost of a recipe',
      body: estimateInputSchema,
      errors: ['NOT_FOUND'],
      description: DESCRIPTION,
      example: example('recipe'),
      handler: ({ principal, body }) => estimates.recipe(principal, body.recipe, body.params),
    }),
    defineRoute({
      ...ESTIMATE,
      path: '/api/v1/tasks/:id/estimate',
      operation: 'estimates.task',
      summary: 'Estimates the cost of an execution of a task',
      params: idParamsSchema,
      body: startInputSchema,
      description:
        `${DESCRIPTION} The body is that of a start. ` +
        "Without a body, the task's own recipe is used.",
      example: example('task'),
      handler: ({ principal, params, body }) => estimates.task(principal, params.id, body),
    }),
  ]
}
