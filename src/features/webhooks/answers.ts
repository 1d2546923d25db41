import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import type { Json } from '../../kernel/json.ts'
import { timeSchema } from '../common/list-schema.ts'
import { statusSchema } from './schema.ts'

/** Members of a webhook on the wire. */
const entries = {
  id: v.string(),
  url: v.string(),
  description: v.string(),
  events: v.array(v.string()),
  taskIds: v.array(v.string()),
  labels: v.array(v.string()),
  enabled: v.boolean(),
  disabledAt: v.nullable(timeSchema),
  disabledReason: v.pipe(
    v.nullable(v.picklist(['requested', 'gone', 'failing', 'unconfirmed', 'unsubscribed'])),
    v.description(
      '`gone`: the receiver responded with 410, or there is no such mail address; `failing`: no ' +
        'delivery succeeded for days; `unconfirmed`: the mailed code was not entered yet; ' +
        '`unsubscribed`: the person at the address has ended the messages.',
    ),
  ),
  createdAt: timeSchema,
  updatedAt: timeSchema,
}

/** A webhook on the wire. */
export const webhookSchema = v.pipe(v.strictObject(entries), documented({ component: 'Webhook' }))

/** A webhook with a new secret. Only these responses contain a secret. */
export const webhookWithSecretSchema = v.pipe(
  v.strictObject({
    ...entries,
    secret: v.pipe(
      v.string(),
      v.description('The secret that signs deliveries: `whsec_` and base64. Shown only once.'),
    ),
  }),
  documented({ component: 'WebhookWithSecret' }),
)

/** `data` of a deletion. */
export const webhookDeletedSchema = v.strictObject({ id: v.string(), deleted: v.literal(true) })

/** A delivery on the wire. */
export const webhookDeliverySchema = v.pipe(
  v.strictObject({
    id: v.string(),
    webhookId: v.string(),
    eventId: v.pipe(
      v.string(),
      v.description('The `webhook-id` header: the same for every attempt.'),
    ),
    type: v.string(),
    occurredAt: timeSchema,
    status: statusSchema,
    attempts: v.pipe(
      v.array(
        v.strictObject({
          number: countSchema,
          at: timeSchema,
          httpStatus: v.nullable(countSchema),
          durationMs: v.number(),
          error: v.pipe(
            v.nullable(v.string()),
            v.description('Code such as `timeout` or `http_500`; `null`: it arrived.'),
          ),
        }),
      ),
      v.description('The last attempts, oldest first.'),
    ),
    nextAttemptAt: v.nullable(timeSchema),
    payload: v.pipe(
      v.custom<Json>((value) => value !== undefined),
      v.description('The body that is sent to the receiver.'),
      documented({ json: { type: 'object' } }),
    ),
  }),
  documented({ component: 'WebhookDelivery' }),
)
