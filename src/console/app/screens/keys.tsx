import { useSignal } from '@preact/signals'
import { systemClock } from '../../../defaults/system-clock.ts'
import { SCOPES } from '../../../kernel/scope.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { useAction, useList } from '../parts/ask.ts'
import { listCall } from '../parts/copy-as.ts'
import { CopyAs } from '../parts/copies.tsx'
import { Secret } from '../parts/secret.tsx'
import { FieldProblem, wrongField } from '../parts/field-problem.tsx'
import { Listing } from '../parts/listing.tsx'
import { timeOf, Wrong } from '../parts/show.tsx'
import { can, client, me } from '../session.ts'
import { toggled, useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** Days until a new key expires. 0: never. */
const ENDS = [0, 7, 30, 90, 365]
const FIRST_DAYS = 90
const FIRST_SCOPES = ['tasks:read', 'executions:read']

/** The name of a scope for people. Families and unknown scopes are unchanged. */
function scopeName(scope: string): string {
  return words.scopes[scope] ?? scope
}

/** The keys of the account, and a form for a new one. */
export function Keys() {
  const list = useList(
    (cursor) => client.value.keys.list({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  const name = useTyped('name', '')
  const scopes = useTyped<readonly string[]>('scopes', FIRST_SCOPES)
  const days = useTyped('days', FIRST_DAYS)
  const secret = useSignal<string | null>(null)
  const action = useAction()
  const mine = SCOPES.filter((scope) => can(scope))
  return (
    <>
      <h1>{words.keys.title}</h1>
      <p>{words.keys.about}</p>
      <Listing
        caption={words.keys.title}
        list={list}
        empty={<p>{words.keys.none}</p>}
        columns={[
          {
            name: words.keys.name,
            cell: ({ id, name: text }) => (
              <>
                {text} {id === me.value?.keyId && <span class="state">{words.keys.current}</span>}
              </>
            ),
          },
          { name: words.keys.hint, cell: ({ hint }) => <code>{hint}…</code> },
          { name: words.keys.scopes, cell: (key) => key.scopes.map(scopeName).join(', ') },
          { name: words.keys.created, cell: ({ createdAt }) => timeOf(createdAt) },
          { name: words.keys.used, cell: ({ lastUsedAt }) => timeOf(lastUsedAt) },
          {
            name: words.keys.expires,
            cell: ({ expiresAt, revokedAt }) =>
              revokedAt !== null ? (
                <span class="state dim">{words.keys.revoked}</span>
              ) : expiresAt === null ? (
                words.keys.never
              ) : (
                timeOf(expiresAt)
              ),
          },
          {
            name: words.actions,
            isPlain: true,
            cell: ({ id, name: text, revokedAt }) =>
              revokedAt === null &&
              can('keys:write') && (
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() => {
                    if (!confirm(words.keys.sure(text))) return
                    action.run(async (api) => {
                      await api.keys.revoke(id, {})
                      list.again()
                    })
                  }}
                >
                  {words.keys.revoke}
                </button>
              ),
          },
        ]}
      />
      {can('keys:write') && (
        <section aria-labelledby="create">
          <h2 id="create">{words.keys.create}</h2>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              action.run(async (api) => {
                const created = await api.keys.create({
                  name: name.value,
                  scopes: scopes.value,
                  ...(days.value > 0 && {
                    expiresAt: new Date(systemClock.now() + days.value * DAY_MS).toISOString(),
                  }),
                })
                secret.value = created.secret
                name.value = ''
                scopes.value = FIRST_SCOPES
                days.value = FIRST_DAYS
                list.again()
              })
            }}
          >
            <div class="filters">
              <label>
                <span>{words.keys.name}</span>
                <input
                  required
                  maxLength={200}
                  value={name}
                  {...wrongField(action.problem, 'name', 'wrong-name')}
                  onInput={(event) => (name.value = event.currentTarget.value)}
                />
                <FieldProblem problem={action.problem} path="name" id="wrong-name" />
              </label>
              <label>
                <span>{words.keys.expires}</span>
                <select
                  value={days}
                  {...wrongField(action.problem, 'expiresAt', 'wrong-end')}
                  onChange={(event) => (days.value = Number(event.currentTarget.value))}
                >
                  {ENDS.map((count) => (
                    <option key={count} value={count}>
                      {count === 0 ? words.keys.never : words.keys.days(count)}
                    </option>
                  ))}
                </select>
                <FieldProblem problem={action.problem} path="expiresAt" id="wrong-end" />
              </label>
            </div>
            <fieldset class="boxes" {...wrongField(action.problem, 'scopes', 'wrong-scopes')}>
              <legend>{words.keys.scopes}</legend>
              {mine.map((scope) => (
                <label key={scope} class="check">
                  <input
                    type="checkbox"
                    checked={scopes.value.includes(scope)}
                    onChange={() => (scopes.value = toggled(scopes.value, scope))}
                  />
                  <span>
                    {scopeName(scope)} <code>{scope}</code>
                  </span>
                </label>
              ))}
              <FieldProblem problem={action.problem} path="scopes" id="wrong-scopes" />
            </fieldset>
            <div class="choices">
              <button type="submit" disabled={action.isBusy || scopes.value.length === 0}>
                {words.keys.create}
              </button>
            </div>
          </form>
          <Secret secret={secret.value} about={words.keys.secret} />
          <Wrong problem={action.problem} />
        </section>
      )}
      <CopyAs
        call={listCall({
          path: 'keys',
          operation: 'keys.list',
          query: { limit: 50 },
          command: 'keys list',
        })}
      />
    </>
  )
}
