import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import type { Json } from '../../kernel/json.ts'
import { EVENT_TYPES } from '../common/events.ts'
import { idParamsSchema, listEntries, timeSchema } from '../common/list-schema.ts'

const urlSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(2_048),
  v.description('Where events are sent: https, a public host.'),
)
const descriptionSchema = v.pipe(v.string(), v.maxLength(2_000))
const eventsSchema = v.pipe(
  v.array(v.picklist(['*', ...EVENT_TYPES])),
  v.minLength(1),
  v.maxLength(20),
  v.description('Types of events to send; `*`: all, including future types.'),
)
const taskIdsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  v.maxLength(100),
  v.description(
    'Sends events about tasks only for these tasks, and for tasks with one of `labels`. ' +
      'Both empty: for all.',
  ),
)
const labelsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64))),
  v.maxLength(20),
  v.description('See `taskIds`.'),
)
const enabledSchema = v.pipe(
  v.boolean(),
  v.description('While disabled, events are not sent or stored.'),
)

/** Body of a new webhook. */
export const webhookInputSchema = v.pipe(
  v.strictObject({
    url: urlSchema,
    events: eventsSchema,
    description: v.exactOptional(descriptionSchema),
    taskIds: v.exactOptional(taskIdsSchema),
    labels: v.exactOptional(labelsSchema),
    enabled: v.exactOptional(enabledSchema),
  }),
  documented({ component: 'WebhookInput' }),
)

/** Body of a change. Absent members stay unchanged. */
export const webhookPatchSchema = v.pipe(
  v.strictObject({
    url: v.exactOptional(urlSchema),
    events: v.exactOptional(eventsSchema),
    description: v.exactOptional(descriptionSchema),
    taskIds: v.exactOptional(taskIdsSchema),
    labels: v.exactOptional(labelsSchema),
    enabled: v.exactOptional(enabledSchema),
  }),
  v.check((patch) => Object.keys(patch).length > 0, 'name at least one field to change'),
  v.description('Fields that are absent do not change; at least one is needed.'),
  documented({ component: 'WebhookPatch' }),
)

/** Body of a rotation. It may be left out. */
export const rotateInputSchema = v.optional(
  v.pipe(
    v.strictObject({
      overlapSeconds: v.exactOptional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(0),
          v.maxValue(604_800),
          v.description(
            'How many seconds the old secret also signs deliveries. Default 86,400; 0: it ends at once.',
          ),
        ),
      ),
    }),
    documented({ component: 'RotateInput' }),
  ),
)

/** Query of the list. */
export const webhookQuerySchema = v.strictObject(listEntries)

const statusSchema = v.picklist(['pending', 'succeeded', 'failed'])

/** Query of the delivery log. */
export const deliveryQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  ...listEntries,
})

/** Path parameters of one delivery. */
export const deliveryParamsSchema = v.strictObject({
  ...idParamsSchema.entries,
  deliveryId: idParamsSchema.entries.id,
})

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
    v.nullable(v.picklist(['requested', 'gone', 'failing'])),
    v.description(
      '`gone`: the receiver responded with 410; `failing`: no delivery succeeded for days.',
    ),
  ),
  createdAt: timeSchema,
  updatedAt: timeSchema,
}

/** A webhook on the wire. */
export const webhookSchema = v.pipe(v.strictObject(entries), documented({ component: 'Webhook' }))

/** A webhook with a new secret: the only responses that contain one. */
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

const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A delivery on the wire. */
export const deliverySchema = v.pipe(
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
      v.description('The last ones, oldest first.'),
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
