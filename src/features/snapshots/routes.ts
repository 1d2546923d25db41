import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { pointInputSchema } from './schema.ts'
import type { Snapshots } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))
const example = examplesFrom(async () => (await import('./examples.ts')).SNAPSHOT_EXAMPLES)

/** The routes of snapshots. */
export function snapshotRoutes(snapshots: Snapshots): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/snapshots/:id',
      operation: 'snapshots.get',
      summary: 'Returns a page that a preview kept',
      scope: 'tasks:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.snapshotSchema),
      errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
      example: example('get'),
      handler: ({ principal, params, signal }) => snapshots.get(principal, params.id, signal),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/snapshots/:id/candidates',
      operation: 'snapshots.point',
      summary: 'Proposes selectors for elements of a snapshot',
      scope: 'tasks:read',
      limit: 'tasks',
      repeatable: true,
      params: idParamsSchema,
      body: pointInputSchema,
      data: answer((all) => all.candidatesSchema),
      errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
      example: example('point'),
      handler: ({ principal, params, body, signal }) =>
        snapshots.point(principal, params.id, body, signal),
    }),
  ]
}
