import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { SCOPES } from '../../kernel/scope.ts'

import type { Myself } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).ME_EXAMPLES)
const [scope, ...otherScopes] = SCOPES

/** The route of the caller's own facts. */
export function meRoutes(me: Myself): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/me',
      operation: 'me.get',
      summary: 'Returns the account, scopes, plan and limits of the caller',
      // No scope is needed: every credential may read its own facts.
      scope,
      otherScopes,
      limit: 'tasks',
      data: answer((all) => all.meSchema),
      example: example('get'),
      handler: ({ principal }) => me.get(principal),
    }),
  ]
}
