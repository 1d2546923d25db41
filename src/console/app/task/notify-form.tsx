import { useSignal } from '@preact/signals'
import type { Task, WebhookInput } from '../../../client.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { Secret } from '../parts/secret.tsx'
import { To, Wrong } from '../parts/show.tsx'
import { eventName, isMailed, needOf, stateOf } from '../parts/webhook-state.ts'
import { can, client } from '../session.ts'
import { toggled, useTyped } from '../typed.ts'
import { words } from '../words.ts'

type EventType = Exclude<WebhookInput['events'][number], '*'>

/** Events of one task, the most common first. */
const EVENTS: readonly EventType[] = [
  'dataset.changed',
  'execution.failed',
  'execution.succeeded',
  'task.drift',
  'schedule.refused',
]

/** Conditions under which a server is notified about a task, as a webhook for this task alone. */
export function NotifyForm({ task }: { readonly task: Task }) {
  const events = useTyped<readonly EventType[]>('notified of', [])
  const url = useTyped('notified', '')
  const secret = useSignal<string | null>(null)
  /** True: a code was mailed to a person, to be entered beside the webhook. */
  const isAsked = useSignal(false)
  const action = useAction()
  const mayRead = can('webhooks:read')
  const hooks = useAnswer(
    async () => (mayRead ? (await client.value.webhooks.list({ limit: 100 })).items : []),
    [],
  )
  if (!mayRead) return null
  // The dataset must exist before it can change.
  const offered = EVENTS.filter((event) => event !== 'dataset.changed' || task.datasetId !== null)
  const chosen = offered.filter((event) => events.value.includes(event))
  const mine = hooks.value?.filter(({ taskIds }) => taskIds.includes(task.id)) ?? []
  return (
    <section class="notify" aria-labelledby="notify">
      <h2 id="notify">{words.notify.title}</h2>
      <p>{words.notify.about}</p>
      {mine.length > 0 && (
        <ul>
          {mine.map((hook) => (
            <li key={hook.id} class="breaks">
              {words.notify.already(hook.url, hook.events.map(eventName).join(', '))}
              {needOf(hook) !== null && ` (${stateOf(hook)})`}
            </li>
          ))}
        </ul>
      )}
      {can('webhooks:write') && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            action.run(async (api) => {
              const made = await api.webhooks.create({
                url: url.value.trim(),
                events: chosen,
                taskIds: [task.id],
              })
              // Mails are not signed.
              secret.value = isMailed(made.url) ? null : made.secret
              isAsked.value = made.disabledReason === 'unconfirmed'
              url.value = ''
              events.value = []
              hooks.again()
            })
          }}
        >
          <fieldset class="boxes">
            <legend>{words.webhooks.events}</legend>
            {offered.map((event) => (
              <label key={event} class="check">
                <input
                  type="checkbox"
                  checked={events.value.includes(event)}
                  onChange={() => (events.value = toggled(events.value, event))}
                />
                <span>{words.events[event] ?? event}</span>
              </label>
            ))}
          </fieldset>
          <label class="short">
            <span>{words.webhooks.url}</span>
            <input
              type="url"
              required
              placeholder="https://"
              value={url}
              onInput={({ currentTarget: { value } }) => (url.value = value)}
            />
          </label>
          <div class="choices">
            <button type="submit" disabled={action.isBusy || chosen.length === 0}>
              {words.notify.add}
            </button>
            {chosen.length === 0 && <span>{words.notify.none}</span>}
          </div>
        </form>
      )}
      <Secret secret={secret.value} about={words.webhooks.secret} />
      <div role="status">
        {isAsked.value && (
          <p>
            {words.webhooks.codeSent} <To screen="webhooks">{words.nav.webhooks}</To>
          </p>
        )}
      </div>
      <Wrong problem={action.problem ?? hooks.problem} />
    </section>
  )
}
