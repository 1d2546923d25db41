import type { Webhook } from '../../../client.ts'
import { words } from '../words.ts'

/**
 * The action that a webhook needs before it can send events: enabling it, or confirming its address
 * by a code. `never`: no action helps. `null`: no action is needed.
 */
export type Need = 'on' | 'code' | 'never' | null

/** The action that a webhook needs. A mail address that does not exist cannot be confirmed again. */
export function needOf({ url, enabled, disabledReason }: Webhook): Need {
  if (enabled) return null
  if (disabledReason === 'unconfirmed') return 'code'
  if (disabledReason === 'unsubscribed') return 'never'
  return disabledReason === 'gone' && isMailed(url) ? 'never' : 'on'
}

/** True if events are sent by mail. Mails are not signed. */
export function isMailed(url: string): boolean {
  return /^mailto:/i.test(url)
}

/** Whether a webhook is on, and why not. */
export function stateOf({ enabled, disabledReason }: Webhook): string {
  return enabled ? words.webhooks.enabled : words.webhooks.reasons[disabledReason ?? 'requested']
}

/** The name of an event's type as a text for people. */
export function eventName(type: string): string {
  return type === '*' ? words.webhooks.allEvents : (words.events[type] ?? type)
}
