import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'

import type { PlanSteps } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).PLAN_EXAMPLES)

/** The routes of plan steps. */
export function planStepRoutes(plans: PlanSteps): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id/plan/steps',
      operation: 'executions.planSteps',
      summary: "Lists the steps of an execution's plan, with state and counts",
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.planSchema),
      description:
        'In the order in which they start; most run at the same time. Links are counted by the ' +
        'label of their pages. Also 404 if the operator has switched plans off.',
      example: example('list'),
      handler: ({ principal, params }) => plans.list(principal, params.id),
    }),
  ]
}
