import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { filesQuerySchema, pointInputSchema } from './schema.ts'
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
      method: 'GET',
      path: '/api/v1/snapshots/:id/files',
      operation: 'snapshots.files',
      summary: 'Lists the style sheets and pictures of a snapshot',
      // Its first call sends requests, as a preview does.
      scope: 'tasks:write',
      limit: 'tasks',
      params: idParamsSchema,
      query: filesQuerySchema,
      data: answer((all) => all.snapshotFilesSchema),
      large: true,
      errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
      description:
        'Each file is requested once, when it is first listed, if robots.txt allows it. It is ' +
        'then kept, and is free. A file that is missing, too large or harmful has a `reason`.',
      example: example('files'),
      handler: ({ principal, params, query, signal }) =>
        snapshots.files(principal, params.id, query, signal),
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
