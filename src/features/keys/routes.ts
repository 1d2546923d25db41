import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import { keyInputSchema, keyQuerySchema, revokeQuerySchema } from './schema.ts'
import type { Keys } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).KEY_EXAMPLES)

/** The routes of API keys. */
export function keyRoutes(keys: Keys): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/keys',
      operation: 'keys.create',
      summary: 'Creates an API key; its secret is shown once',
      scope: 'keys:write',
      limit: 'tasks',
      body: keyInputSchema,
      data: answer((all) => all.createdKeySchema),
      status: 201,
      secret: true,
      description:
        'A key never outlives the key that created it. A key created without a key, such as in ' +
        "a session, may have any expiry or none. The plan's `caps.keys` bounds the unrevoked " +
        'keys of an account: 409 beyond it.',
      example: example('create'),
      handler: ({ principal, body, preconditions }) => keys.create(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/keys',
      operation: 'keys.list',
      summary: 'Lists API keys, newest first',
      scope: 'keys:read',
      limit: 'tasks',
      query: keyQuerySchema,
      data: answer((all) => countedPageSchema(all.keySchema)),
      example: example('list'),
      handler: ({ principal, query }) => keys.list(principal, query),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/keys/:id',
      operation: 'keys.revoke',
      summary: 'Revokes an API key',
      scope: 'keys:write',
      limit: 'tasks',
      params: idParamsSchema,
      query: revokeQuerySchema,
      data: answer((all) => all.revokedKeySchema),
      ifMatch: true,
      description:
        'Keys that it created stay valid until they expire. `descendants=true` revokes them ' +
        'too, with all keys that they created, in one step. This also works for a key that is ' +
        'already revoked.',
      example: example('revoke'),
      handler: ({ principal, params, query, preconditions }) =>
        keys.revoke(
          principal,
          params.id,
          { descendants: query.descendants === 'true' },
          preconditions,
        ),
    }),
  ]
}
