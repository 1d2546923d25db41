import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { EVENT_TYPES } from '../common/events.ts'
import { createdEntries, idParamsSchema, namesAField } from '../common/list-schema.ts'

const urlSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(2_048),
  v.description('Where events are sent: https, a public host; or `mailto:` and one address.'),
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

const others = {
  description: v.exactOptional(descriptionSchema),
  taskIds: v.exactOptional(taskIdsSchema),
  labels: v.exactOptional(labelsSchema),
  enabled: v.exactOptional(enabledSchema),
}

/** Body of a new webhook. */
export const webhookInputSchema = v.pipe(
  v.strictObject({
    url: urlSchema,
    events: eventsSchema,
    ...others,
  }),
  documented({ component: 'WebhookInput' }),
)

/** Body of a change. Absent members stay unchanged. */
export const webhookPatchSchema = v.pipe(
  v.strictObject({
    url: v.exactOptional(urlSchema),
    events: v.exactOptional(eventsSchema),
    ...others,
  }),
  namesAField(),
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
            'For how many seconds the old secret also signs deliveries. Default 86,400; 0: it expires at once.',
          ),
        ),
      ),
    }),
    documented({ component: 'RotateInput' }),
  ),
)

/** Body of a confirmation. */
export const confirmInputSchema = v.pipe(
  v.strictObject({
    code: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(40),
      v.description('The code that was mailed to the address.'),
    ),
  }),
  documented({ component: 'ConfirmInput' }),
)

/** Query of the page that ends messages by mail. */
export const unsubscribeQuerySchema = v.strictObject({
  token: v.exactOptional(v.string()),
})

/** Query of the list. */
export const webhookQuerySchema = v.strictObject(createdEntries)

export const statusSchema = v.picklist(['pending', 'succeeded', 'failed'])

/** Query of the delivery log. */
export const deliveryQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  ...createdEntries,
})

/** Path parameters of one delivery. */
export const deliveryParamsSchema = v.strictObject({
  ...idParamsSchema.entries,
  deliveryId: idParamsSchema.entries.id,
})
