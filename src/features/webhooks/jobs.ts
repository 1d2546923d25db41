import { eventSchema } from '../common/event-schema.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { deliver } from './deliver.ts'
import { DeliverySemaphore } from './delivery-semaphore.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { EmittedEvent } from '../common/event-schema.ts'
import { executionOf } from '../executions/execution.ts'
import { enqueueDelivery, newDelivery, placeOf, putDelivery } from './delivery.ts'
import { Change } from '../../records/change.ts'
import { emptyProgress } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { WebhookRecord } from './records.ts'
import type { Core } from '../core.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { WebhookSecrets } from './secrets.ts'

/**
 * The jobs of events: `event` creates a delivery for each webhook that wants the event, `webhook`
 * makes a delivery's attempts.
 */
export function webhookJobs(core: Core, egress: Egress, secrets: WebhookSecrets): JobHandlers {
  const sender = { egress, secrets, semaphore: new DeliverySemaphore(core.clock) }
  return {
    async event(data) {
      const checked = checkSchema(eventSchema, data)
      if ('output' in checked) await fanOut(core, checked.output)
      else core.logger.error('An event without its facts was dropped', { issues: checked.issues })
      return 'done'
    },
    async webhook(data, { signal }) {
      const target = jobFields(data, 'account', 'webhook', 'delivery', 'round')
      return target ? deliver(core, sender, target, signal) : 'done'
    },
  }
}

/** More webhooks than an account can have. */
const ALL = 100

/**
 * Creates a delivery, and its job in the same commit, for each webhook that wants an event. A
 * repeated call for the same event leaves existing deliveries unchanged: their keys follow from
 * event and webhook.
 */
async function fanOut({ records, clock }: Core, event: EmittedEvent): Promise<void> {
  const { account } = event
  const webhooks = (await records.webhooks.list(account, { limit: ALL })).map(({ value }) => value)
  const asked = webhooks.filter(
    ({ disabledAt, events }) =>
      disabledAt === null && (events.includes('*') || events.includes(event.type)),
  )
  const wanted = await concerned(records, asked, event)
  if (wanted.length === 0) return
  const envelope = {
    id: event.id,
    type: event.type,
    at: event.at,
    data: await dataOf(records, event),
  }
  for (const webhook of wanted) {
    const now = clock.now()
    const delivery = newDelivery(webhook.id, envelope, now)
    const change = new Change()
    records.webhookDeliveries.requireAbsent(change, account, ...placeOf(delivery))
    putDelivery(records, change, account, delivery)
    enqueueDelivery(records, change, account, delivery, now)
    await records.commit(change)
  }
}

/** The webhooks whose filter of tasks includes the event. */
async function concerned(
  records: Records,
  webhooks: readonly WebhookRecord[],
  { account, taskId }: EmittedEvent,
): Promise<readonly WebhookRecord[]> {
  const choosy = webhooks.some(({ taskIds, labels }) => taskIds.length > 0 || labels.length > 0)
  if (!choosy || taskId === undefined) return webhooks
  const task = taskId === null ? null : await records.tasks.get(account, taskId)
  return webhooks.filter(({ taskIds, labels }) => {
    if (taskIds.length === 0 && labels.length === 0) return true
    return (
      (taskId !== null && taskIds.includes(taskId)) ||
      (task?.value.labels.some((label) => labels.includes(label)) ?? false)
    )
  })
}

/** The data of an event. For an execution: all that a read of it returned at that time. */
async function dataOf(
  records: Records,
  { account, type, at, data }: EmittedEvent,
): Promise<object> {
  const { execution } = data
  if (
    typeof execution !== 'object' ||
    execution === null ||
    !('id' in execution) ||
    typeof execution.id !== 'string'
  )
    return data
  const [stored, progress] = await Promise.all([
    records.executions.get(account, execution.id),
    records.progress.get(account, execution.id),
  ])
  if (!stored || !progress) return data
  // An execution that has ended does not change any more. One that has only begun may have changed
  // a lot since.
  if (type !== 'execution.started')
    return { ...data, execution: executionOf(stored.value, progress.value) }
  const { drift: _drift, ...begun } = stored.value
  return {
    ...data,
    execution: executionOf(
      { ...begun, status: 'running', reason: null, finishedAt: null, updatedAt: at },
      emptyProgress(execution.id),
    ),
  }
}
