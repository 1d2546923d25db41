import { useSignal } from '@preact/signals'
import type { Delivery, Webhook } from '../../../client.ts'
import { useAction, useList } from '../parts/ask.ts'
import { Secret } from '../parts/secret.tsx'
import { Listing, State, timeOf, Wrong } from '../parts/show.tsx'
import { go, place } from '../place.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** Webhooks, and what was sent to the one that is chosen. */
export function Webhooks() {
  const list = useList(
    (cursor) => client.value.webhooks.list({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  const url = useSignal('')
  const secret = useSignal<string | null>(null)
  const notice = useSignal<string | null>(null)
  const action = useAction()
  const chosen = place.value.query.get('id')
  const mayWrite = can('webhooks:write')
  const button = (name: string, work: () => Promise<void>) => (
    <button
      key={name}
      type="button"
      class="quiet"
      disabled={action.isBusy}
      onClick={() =>
        action.run(async () => {
          notice.value = null
          await work()
        })
      }
    >
      {name}
    </button>
  )
  const actions = ({ id }: Webhook) => (
    <div class="choices">
      {button(words.webhooks.show, async () => go('webhooks', { id }))}
      {mayWrite && (
        <>
          {button(words.webhooks.test, async () => {
            await client.value.webhooks.test(id)
            notice.value = words.webhooks.sent
            go('webhooks', { id })
          })}
          {button(words.webhooks.rotate, async () => {
            secret.value = (await client.value.webhooks.rotate(id, {})).secret
          })}
          {button(words.webhooks.delete, async () => {
            if (!confirm(words.webhooks.sure)) return
            await client.value.webhooks.delete(id)
            list.again()
          })}
        </>
      )}
    </div>
  )
  return (
    <>
      <h1>{words.webhooks.title}</h1>
      <p>{words.webhooks.about}</p>
      <Wrong problem={action.problem ?? list.problem} />
      <Secret secret={secret.value} about={words.webhooks.secret} />
      <div role="status">{notice}</div>
      <Listing
        caption={words.webhooks.title}
        items={list.items}
        hasMore={list.hasMore}
        onMore={list.more}
        empty={<p>{words.webhooks.none}</p>}
        columns={[
          { name: words.webhooks.url, cell: (webhook) => webhook.url },
          { name: words.webhooks.events, cell: ({ events }) => events.join(', ') },
          {
            name: words.tasks.status,
            cell: ({ enabled, disabledReason }) =>
              enabled ? words.webhooks.enabled : (disabledReason ?? words.webhooks.disabled),
          },
          { name: words.actions, isPlain: true, cell: actions },
        ]}
      />
      {mayWrite && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            action.run(async () => {
              const created = await client.value.webhooks.create({ url: url.value, events: ['*'] })
              secret.value = created.secret
              url.value = ''
              list.again()
            })
          }}
        >
          <label>
            <span>{words.webhooks.url}</span>
            <input
              type="url"
              required
              placeholder="https://…"
              value={url}
              onInput={(event) => (url.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit" disabled={action.isBusy}>
            {words.webhooks.create}
          </button>
        </form>
      )}
      {chosen !== null && <Deliveries key={`${chosen} ${notice.value}`} id={chosen} />}
    </>
  )
}

/** The deliveries of a webhook: event, attempts and response. */
function Deliveries({ id }: { readonly id: string }) {
  const list = useList(
    (cursor) =>
      client.value.webhooks.deliveries(id, {
        limit: 20,
        ...(cursor !== undefined && { cursor }),
      }),
    [id],
  )
  const action = useAction()
  const answerOf = ({ attempts }: Delivery) => {
    const last = attempts.at(-1)
    return last === undefined ? '–' : (last.error ?? String(last.httpStatus ?? ''))
  }
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{words.webhooks.deliveries}</h2>
      <Wrong problem={action.problem ?? list.problem} />
      <Listing
        caption={words.webhooks.deliveries}
        items={list.items}
        hasMore={list.hasMore}
        onMore={list.more}
        empty={<p>{words.webhooks.noDeliveries}</p>}
        columns={[
          { name: words.webhooks.at, cell: ({ occurredAt }) => timeOf(occurredAt) },
          { name: words.webhooks.type, cell: ({ type }) => type },
          { name: words.tasks.status, cell: ({ status }) => <State state={status} /> },
          {
            name: words.webhooks.attempts,
            isNumber: true,
            cell: ({ attempts }) => attempts.at(-1)?.number ?? 0,
          },
          { name: words.webhooks.answer, cell: answerOf },
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
              can('webhooks:write') && (
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() =>
                    action.run(async () => {
                      await client.value.webhooks.redeliver(id, delivery.id)
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
