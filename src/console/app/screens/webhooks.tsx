import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { WebhookDelivery, Webhook, WebhookInput } from '../../../client.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import type { Work } from '../parts/ask.ts'
import { listCall } from '../parts/copy-as.ts'
import { CopyAs } from '../parts/copies.tsx'
import { FieldProblem, wrongField } from '../parts/field-problem.tsx'
import { Secret } from '../parts/secret.tsx'
import { Listing } from '../parts/listing.tsx'
import { figure, State, timeOf, Wrong } from '../parts/show.tsx'
import { eventName, isMailed, needOf, stateOf } from '../parts/webhook-state.ts'
import { go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { toggled, useTyped } from '../typed.ts'
import { words } from '../words.ts'

type EventType = Exclude<WebhookInput['events'][number], '*'>

/** Types of events, in the order of their checkboxes. */
const EVENT_TYPES: readonly EventType[] = [
  'execution.started',
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'dataset.changed',
  'task.drift',
  'task.relocation',
  'task.repaired',
  'schedule.refused',
  'balance.low',
  'webhook.disabled',
]

/** Webhooks, and the deliveries of the selected one. */
export function Webhooks() {
  const list = useList(
    (cursor) => client.value.webhooks.list({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  const url = useTyped('url', '')
  const events = useTyped<readonly EventType[]>('events', [])
  const secret = useSignal<string | null>(null)
  const notice = useSignal<string | null>(null)
  const action = useAction()
  const chosen = screenAddress.value.query.get('id')
  const mayWrite = can('webhooks:write')
  const button = (name: string, work: Work) => (
    <button
      key={name}
      type="button"
      class="quiet"
      disabled={action.isBusy}
      onClick={() =>
        action.run(async (api) => {
          notice.value = null
          await work(api)
        })
      }
    >
      {name}
    </button>
  )
  const remove = (id: string) =>
    button(words.webhooks.delete, async (api) => {
      if (!confirm(words.webhooks.sure)) return
      await api.webhooks.delete(id)
      if (id === chosen) go('webhooks', {}, true)
      list.again()
    })
  const turn = (id: string, enabled: boolean) =>
    button(enabled ? words.webhooks.turnOn : words.webhooks.turnOff, async (api) => {
      await api.webhooks.update(id, { enabled })
      list.again()
    })
  const actions = (webhook: Webhook) => {
    const { id, url: address } = webhook
    const need = needOf(webhook)
    return (
      <div class="choices">
        {button(words.webhooks.show, async () => go('webhooks', { id }))}
        {mayWrite && need === 'code' && (
          <ConfirmForm
            id={id}
            isBusy={action.isBusy}
            onCode={(code) =>
              action.run(async (api) => {
                notice.value = null
                await api.webhooks.confirm(id, { code: code.value })
                code.value = ''
                list.again()
              })
            }
          />
        )}
        {mayWrite && need === null && (
          <>
            {button(words.webhooks.test, async (api) => {
              await api.webhooks.test(id)
              notice.value = words.webhooks.sent
              go('webhooks', { id })
            })}
            {turn(id, false)}
          </>
        )}
        {mayWrite && need === 'on' && turn(id, true)}
        {mayWrite &&
          !isMailed(address) &&
          button(words.webhooks.rotate, async (api) => {
            secret.value = (await api.webhooks.rotate(id, {})).secret
          })}
        {mayWrite && remove(id)}
      </div>
    )
  }
  return (
    <>
      <h1>{words.webhooks.title}</h1>
      <p>{words.webhooks.about}</p>
      <Wrong problem={action.problem} />
      <Secret secret={secret.value} about={words.webhooks.secret} />
      <div role="status">{notice}</div>
      <Listing
        caption={words.webhooks.title}
        list={list}
        empty={<p>{words.webhooks.none}</p>}
        columns={[
          {
            name: words.webhooks.url,
            cell: (webhook) => <span class="breaks">{webhook.url}</span>,
          },
          {
            name: words.webhooks.events,
            cell: ({ events: types }) => types.map(eventName).join(', '),
          },
          {
            name: words.tasks.status,
            cell: stateOf,
          },
          { name: words.actions, isPlain: true, cell: actions },
        ]}
      />
      {mayWrite && (
        <form
          class="filters"
          aria-labelledby="create"
          onSubmit={(event) => {
            event.preventDefault()
            action.run(async (api) => {
              const created = await api.webhooks.create({
                url: url.value,
                events: events.value.length === 0 ? ['*'] : events.value,
              })
              // Mails are not signed.
              secret.value = isMailed(created.url) ? null : created.secret
              notice.value =
                created.disabledReason === 'unconfirmed' ? words.webhooks.codeSent : null
              url.value = ''
              events.value = []
              list.again()
            })
          }}
        >
          <h2 id="create">{words.webhooks.create}</h2>
          <label>
            <span>{words.webhooks.url}</span>
            <input
              type="url"
              required
              placeholder="https://…"
              value={url}
              {...wrongField(action.problem, 'url', 'wrong-url')}
              onInput={(event) => (url.value = event.currentTarget.value)}
            />
            <FieldProblem problem={action.problem} path="url" id="wrong-url" />
          </label>
          <fieldset class="boxes" {...wrongField(action.problem, 'events', 'wrong-events')}>
            <legend>{words.webhooks.events}</legend>
            {EVENT_TYPES.map((type) => (
              <label key={type} class="check">
                <input
                  type="checkbox"
                  checked={events.value.includes(type)}
                  onChange={() => (events.value = toggled(events.value, type))}
                />
                {words.events[type] ?? type}
              </label>
            ))}
            <small>{words.webhooks.noChoice}</small>
            <FieldProblem problem={action.problem} path="events" id="wrong-events" />
          </fieldset>
          <button type="submit" disabled={action.isBusy}>
            {words.webhooks.create}
          </button>
        </form>
      )}
      {chosen !== null && (
        <Deliveries key={`${chosen} ${notice.value}`} id={chosen} version={list.items} />
      )}
      <CopyAs
        call={
          chosen === null
            ? listCall({ path: 'webhooks', operation: 'webhooks.list', query: { limit: 50 } })
            : {
                method: 'GET',
                path: `/api/v1/webhooks/${encodeURIComponent(chosen)}/deliveries?limit=20`,
                operation: 'webhooks.deliveries',
                args: [chosen, { limit: 20 }],
              }
        }
      />
    </>
  )
}

/** A form for the code that was mailed to an address. */
function ConfirmForm({
  id,
  isBusy,
  onCode,
}: {
  readonly id: string
  readonly isBusy: boolean
  readonly onCode: (code: Signal<string>) => void
}) {
  const code = useTyped(`code ${id}`, '')
  return (
    <form
      class="choices"
      onSubmit={(event) => {
        event.preventDefault()
        onCode(code)
      }}
    >
      <input
        type="text"
        required
        size={10}
        maxLength={40}
        autocomplete="one-time-code"
        aria-label={words.webhooks.code}
        placeholder={words.webhooks.code}
        value={code}
        onInput={({ currentTarget: { value } }) => (code.value = value)}
      />
      <button type="submit" class="quiet" disabled={isBusy}>
        {words.webhooks.confirm}
      </button>
    </form>
  )
}

/** The last answer, and all earlier attempts. */
function Attempts({ of: { attempts } }: { readonly of: WebhookDelivery }) {
  const last = attempts.at(-1)
  if (last === undefined) return '–'
  return (
    <details>
      <summary>{last.error ?? last.httpStatus ?? words.webhooks.taken}</summary>
      <ol>
        {attempts.map(({ number, at, httpStatus, durationMs, error }) => (
          <li key={number} value={number}>
            {timeOf(at)}: {error ?? httpStatus ?? words.webhooks.taken}{' '}
            {httpStatus !== null && error !== null && httpStatus} (
            {words.webhooks.took(figure(Math.round(durationMs)))})
          </li>
        ))}
      </ol>
    </details>
  )
}

/** The deliveries of a webhook: event, attempts and response. */
function Deliveries({
  id,
  version,
}: {
  readonly id: string
  /** The key changes whenever the webhook may have been enabled or disabled. */
  readonly version: unknown
}) {
  const webhook = useAnswer(() => client.value.webhooks.get(id), [id, version])
  const need = webhook.value && needOf(webhook.value)
  const mayWrite = can('webhooks:write')
  const list = useList(
    (cursor) =>
      client.value.webhooks.deliveries(id, {
        limit: 20,
        ...(cursor !== undefined && { cursor }),
      }),
    [id],
  )
  const action = useAction()
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{words.webhooks.deliveries}</h2>
      <Wrong problem={action.problem ?? (list.problem === null ? webhook.problem : null)} />
      {mayWrite && need !== null && list.items.length > 0 && <p>{words.webhooks.needs[need]}</p>}
      <Listing
        caption={words.webhooks.deliveries}
        list={list}
        empty={<p>{words.webhooks.noDeliveries}</p>}
        columns={[
          { name: words.webhooks.at, cell: ({ occurredAt }) => timeOf(occurredAt) },
          { name: words.webhooks.type, cell: ({ type }) => eventName(type) },
          { name: words.tasks.status, cell: ({ status }) => <State state={status} /> },
          {
            name: words.webhooks.attempts,
            isNumber: true,
            cell: ({ attempts }) => attempts.at(-1)?.number ?? 0,
          },
          { name: words.webhooks.answer, cell: (delivery) => <Attempts of={delivery} /> },
          {
            name: words.webhooks.body,
            cell: ({ payload }) => (
              <details>
                <summary>{words.webhooks.body}</summary>
                <pre>{JSON.stringify(payload, null, 2)}</pre>
              </details>
            ),
          },
          {
            name: words.actions,
            isPlain: true,
            cell: (delivery) =>
              mayWrite &&
              webhook.value !== null &&
              need === null &&
              // Codes are mailed once.
              delivery.type !== 'webhook.confirm' && (
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() =>
                    action.run(async (api) => {
                      await api.webhooks.redeliver(id, delivery.id)
                      list.again()
                    })
                  }
                >
                  {words.webhooks.again}
                </button>
              ),
          },
        ]}
      />
    </section>
  )
}
