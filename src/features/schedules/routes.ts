import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'

import type { Schedules } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).SCHEDULE_EXAMPLES)

/** The routes of schedules. A schedule is set as `schedule` of a task. */
export function scheduleRoutes(schedules: Schedules): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/tasks/:id/schedule',
      operation: 'tasks.schedule',
      summary: "Reads the state of a task's schedule",
      scope: 'tasks:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.scheduleStateSchema),
      description: 'The schedule itself is the field `schedule` of the task.',
      example: example('get'),
      handler: ({ principal, params }) => schedules.get(principal, params.id),
    }),
  ]
}
