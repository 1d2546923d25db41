import { defineRoute, examplesFrom } from '../../kernel/route.ts'
import type { AnyRoute } from '../../kernel/route.ts'
import { idParamsSchema, pageSchema } from '../list-schema.ts'
import { createdKeySchema, keyInputSchema, keyQuerySchema, keySchema } from './schema.ts'
import type { Keys } from './service.ts'

const example = examplesFrom(async () => (await import('./examples.ts')).KEY_EXAMPLES)

/** The API keys' part of the route table (design 4.3). */
export function keyRoutes(keys: Keys): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/v1/keys', operation: 'keys.create', summary: 'Makes an API key; its secret is shown once', scope: 'keys:write', limit: 'tasks',
      body: keyInputSchema, data: createdKeySchema, status: 201,
      secret: true,
      example: example('create'),
      handler: ({ principal, body, terms }) => keys.create(principal, body, terms),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/keys', operation: 'keys.list', summary: 'Lists API keys, newest first', scope: 'keys:write', limit: 'tasks',
      query: keyQuerySchema, data: pageSchema(keySchema),
      example: example('list'),
      handler: ({ principal, query }) => keys.list(principal, query),
    }),
    defineRoute({
      method: 'DELETE', path: '/api/v1/keys/:id', operation: 'keys.revoke', summary: 'Revokes an API key', scope: 'keys:write', limit: 'tasks',
      params: idParamsSchema, data: keySchema,
      ifMatch: true,
      example: example('revoke'),
      handler: ({ principal, params, terms }) => keys.revoke(principal, params.id, terms),
    }),
  ]
}
