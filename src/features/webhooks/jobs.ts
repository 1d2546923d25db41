import { isObject } from '../../kernel/json.ts'
import { eventSchema } from './event-schema.ts'
import type { EmittedEvent } from './event-schema.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { standingOf } from '../common/account-status.ts'
import { abandonDelivery, deliver } from './deliver.ts'
import { DeliveryPermits } from './delivery-permits.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import { executionOf } from '../executions/execution.ts'
import { enqueueDelivery, newDelivery, deliveryKey, putDelivery } from './delivery.ts'
import { Change } from '../../records/change.ts'
import { eachPage } from '../../records/paginate.ts'
import { emptyProgress } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { WebhookRecord } from './records.ts'
import type { Core } from '../core.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { MailParts } from './mail/parts.ts'
import type { WebhookSecrets } from './secrets.ts'

/** Time between two checks of a suspended account. Its events and messages wait. */
const SUSPENDED_MS = 600_000

/**
 * The jobs of events: `event` creates a delivery for each webhook that wants the event, `webhook`
 * makes a delivery's attempts. For a suspended account they wait; for a closed one nothing is sent.
 */
export function webhookJobs(
  core: Core,
  egress: Egress,
  secrets: WebhookSecrets,
  mail: MailParts,
): JobHandlers {
  const sender = { egress, secrets, mail, permits: new DeliveryPermits(core.clock) }
  return {
    async event(data) {
      const checked = checkSchema(eventSchema, data)
      if ('output' in checked) {
        const standing = await standingOf(core.accountStatus, checked.output.account)
        if (standing === 'suspended') return { again: core.clock.now() + SUSPENDED_MS }
        if (standing === 'active') await fanOut(core, checked.output)
      } else core.logger.error('An event without its data was dropped', { issues: checked.issues })
      return 'done'
    },
    async webhook(data, { signal }) {
      const target = jobFields(data, 'account', 'webhook', 'delivery', 'round')
      if (!target) return 'done'
      const standing = await standingOf(core.accountStatus, target.account)
      if (standing === 'active') return deliver(core, sender, target, signal)
      const now = core.clock.now()
      const isOver =
        standing === 'closed' &&
        (await abandonDelivery(core.records, target, 'account_closed', now))
      return isOver ? 'done' : { again: now + SUSPENDED_MS }
    },
  }
}

/**
 * Creates a delivery, and its job in the same commit, for each webhook that wants an event. A
 * repeated call for the same event leaves existing deliveries unchanged: their keys follow from
 * event and webhook.
 */
async function fanOut({ records, clock }: Core, event: EmittedEvent): Promise<void> {
  const { account } = event
  const subscribers: WebhookRecord[] = []
  for await (const page of eachPage(records.webhooks, account))
    for (const { value } of page)
      if (
        value.disabledAt === null &&
        value.events.some((type) => type === '*' || type === event.type)
      )
        subscribers.push(value)
  const recipients = await concerned(records, subscribers, event)
  if (recipients.length === 0) return
  const envelope = {
    id: event.id,
    type: event.type,
    at: event.at,
    data: await dataOf(records, event),
  }
  for (const webhook of recipients) {
    const now = clock.now()
    const delivery = newDelivery(webhook.id, envelope, now)
    const change = new Change()
    records.webhookDeliveries.requireAbsent(change, account, ...deliveryKey(delivery))
    putDelivery(records, change, account, delivery)
    enqueueDelivery(records, change, account, delivery)
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
  if (!isObject(execution) || typeof execution['id'] !== 'string') return data
  const [stored, progress] = await Promise.all([
    records.executions.get(account, execution['id']),
    records.progress.get(account, execution['id']),
  ])
  if (!stored || !progress) return data
  // The execution is read again only if it has ended, because then it changes only by the search
  // for drifted values, which has its own event. A running one may have changed much since the
  // event.
  const { relocation: _later, ...ended } = stored.value
  if (type !== 'execution.started')
    return { ...data, execution: executionOf(ended, progress.value) }
  const { drift: _drift, ...begun } = ended
  return {
    ...data,
    execution: executionOf(
      { ...begun, status: 'running', reason: null, finishedAt: null, updatedAt: at },
      emptyProgress(execution['id']),
    ),
  }
}
