import { eventSchema } from '../features/common/event-schema.ts'
import { checkSchema } from '../kernel/schema.ts'
import { deliver } from './deliver.ts'
import type { DeliverOptions } from './deliver.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { fanOut } from './fan-out.ts'
import { jobFields } from './job.ts'
import type { JobHandlers } from './job.ts'

/**
 * The jobs of events: `event` gives each webhook that wants one its delivery, `webhook` makes a
 * delivery's attempts.
 */
export function webhookJobs(options: Omit<DeliverOptions, 'slots'>): JobHandlers {
  const slots = new DeliverySlots(options.clock)
  return {
    async event(data) {
      const checked = checkSchema(eventSchema, data)
      if ('output' in checked) await fanOut(options, checked.output)
      else
        options.logger.error('An event without its facts was dropped', { issues: checked.issues })
      return 'done'
    },
    async webhook(data, { signal }) {
      const target = jobFields(data, 'account', 'webhook', 'delivery', 'round')
      return target ? deliver({ ...options, slots }, target, signal) : 'done'
    },
  }
}
