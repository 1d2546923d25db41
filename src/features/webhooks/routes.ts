import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute, RawAnswer } from '../../kernel/http/route.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import {
  confirmInputSchema,
  deliveryParamsSchema,
  deliveryQuerySchema,
  rotateInputSchema,
  unsubscribeQuerySchema,
  webhookInputSchema,
  webhookPatchSchema,
  webhookQuerySchema,
} from './schema.ts'
import type { Webhooks } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).WEBHOOK_EXAMPLES)

/** Documentation of pages that messages link to, for people without an account. */
const UNSUBSCRIBE = {
  path: '/api/v1/unsubscribe',
  scope: null,
  // The rate is higher, because a mail service may end messages for many people from one address.
  limit: null,
  query: unsubscribeQuerySchema,
  // The body is not read, because mail programs send one (RFC 8058).
  linkToken: true,
  raw: { contents: { 'text/html': null } } satisfies RawAnswer,
} as const
const page = async (isEnded: boolean) => (await import('./mail/page.ts')).unsubscribePage(isEnded)

/** The routes of webhooks. */
export function webhookRoutes(webhooks: Webhooks): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/webhooks',
      operation: 'webhooks.create',
      summary: 'Adds a webhook; its secret is shown once',
      scope: 'webhooks:write',
      limit: 'tasks',
      body: webhookInputSchema,
      data: answer((all) => all.webhookWithSecretSchema),
      status: 201,
      secret: true,
      description:
        'Deliveries are signed as Standard Webhooks defines. One may arrive more than once, with ' +
        'the same `webhook-id`. An account can have 20 webhooks.',
      example: example('create'),
      handler: ({ principal, body, preconditions }) =>
        webhooks.create(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/webhooks',
      operation: 'webhooks.list',
      summary: 'Lists webhooks, newest first',
      scope: 'webhooks:read',
      limit: 'tasks',
      query: webhookQuerySchema,
      data: answer((all) => countedPageSchema(all.webhookSchema)),
      example: example('list'),
      handler: ({ principal, query }) => webhooks.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/webhooks/:id',
      operation: 'webhooks.get',
      summary: 'Reads a webhook',
      scope: 'webhooks:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.webhookSchema),
      example: example('get'),
      handler: ({ principal, params }) => webhooks.get(principal, params.id),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/v1/webhooks/:id',
      operation: 'webhooks.update',
      summary: 'Changes a webhook, or enables it again',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: webhookPatchSchema,
      data: answer((all) => all.webhookSchema),
      tagged: true,
      ifMatch: true,
      example: example('update'),
      handler: ({ principal, params, body, preconditions }) =>
        webhooks.update(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/webhooks/:id',
      operation: 'webhooks.delete',
      summary: 'Deletes a webhook; pending deliveries are not sent',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.webhookDeletedSchema),
      ifMatch: true,
      example: example('delete'),
      handler: ({ principal, params, preconditions }) =>
        webhooks.delete(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/webhooks/:id/rotate',
      operation: 'webhooks.rotate',
      summary: 'Rotates the secret of a webhook; the new one is shown once',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: rotateInputSchema,
      data: answer((all) => all.webhookWithSecretSchema),
      secret: true,
      ifMatch: true,
      description:
        'For a day, deliveries are signed with both the old and the new secret, so that the ' +
        'receiver can change over.',
      example: example('rotate'),
      handler: ({ principal, params, body, preconditions }) =>
        webhooks.rotate(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/webhooks/:id/confirm',
      operation: 'webhooks.confirm',
      summary: 'Confirms the mail address of a webhook, and enables it',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: confirmInputSchema,
      data: answer((all) => all.webhookSchema),
      ifMatch: true,
      description: 'The code is valid for a day. After that, delete the webhook and add it again.',
      example: example('confirm'),
      handler: ({ principal, params, body, preconditions }) =>
        webhooks.confirm(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/webhooks/:id/test',
      operation: 'webhooks.test',
      summary: 'Sends a webhook an event of type `webhook.test`',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.webhookDeliverySchema),
      status: 201,
      example: example('test'),
      handler: ({ principal, params, preconditions }) =>
        webhooks.test(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/webhooks/:id/deliveries',
      operation: 'webhooks.deliveries',
      summary: 'Lists the deliveries of the last 30 days, newest event first',
      scope: 'webhooks:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: deliveryQuerySchema,
      data: answer((all) => countedPageSchema(all.webhookDeliverySchema)),
      example: example('deliveries'),
      handler: ({ principal, params, query }) => webhooks.deliveries(principal, params.id, query),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
      operation: 'webhooks.redeliver',
      summary: 'Delivers an event again, now',
      scope: 'webhooks:write',
      limit: 'tasks',
      params: deliveryParamsSchema,
      data: answer((all) => all.webhookDeliverySchema),
      description:
        'Sends the same body with the same `webhook-id`, and retries again. A disabled webhook ' +
        'is 409.',
      example: example('redeliver'),
      handler: ({ principal, params, preconditions }) =>
        webhooks.redeliver(principal, params.id, params.deliveryId, preconditions),
    }),
    defineRoute({
      ...UNSUBSCRIBE,
      method: 'GET',
      operation: 'webhooks.unsubscribePage',
      summary: 'Shows the page that ends messages by mail',
      example: example('unsubscribe'),
      handler: () => page(false),
    }),
    defineRoute({
      ...UNSUBSCRIBE,
      method: 'POST',
      operation: 'webhooks.unsubscribe',
      summary: 'Ends messages by mail',
      repeatable: true,
      example: example('unsubscribe'),
      errors: ['FORBIDDEN'],
      async handler({ query }) {
        await webhooks.unsubscribe(query.token ?? '')
        return page(true)
      },
    }),
  ]
}
