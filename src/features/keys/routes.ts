import { defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema, pageSchema } from '../common/list-schema.ts'
import {
  createdKeySchema,
  keyInputSchema,
  keyQuerySchema,
  keySchema,
  revokeQuerySchema,
  revokedKeySchema,
} from './schema.ts'
import type { Keys } from './service.ts'

const example = examplesFrom(async () => (await import('./examples.ts')).KEY_EXAMPLES)

/** The routes of API keys. */
export function keyRoutes(keys: Keys): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/keys',
      operation: 'keys.create',
      summary: 'Makes an API key; its secret is shown once',
      scope: 'keys:write',
      limit: 'tasks',
      body: keyInputSchema,
      data: createdKeySchema,
      status: 201,
      secret: true,
      description:
        'A key never outlives the key that made it. Whoever makes one without a key, such as in a session, may give it any end or none. An account has a cap of keys that are not revoked (`caps.keys` of its plan): 409 beyond it.',
      example: example('create'),
      handler: ({ principal, body, preconditions }) => keys.create(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/keys',
      operation: 'keys.list',
      summary: 'Lists API keys, newest first',
      scope: 'keys:write',
      limit: 'tasks',
      query: keyQuerySchema,
      data: pageSchema(keySchema),
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
      data: revokedKeySchema,
      ifMatch: true,
      description:
        'Keys that it made go on until they expire, unless `descendants=true` ends them too: all that were made by it, and by these, in one step. That also works for a key that was revoked before.',
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
