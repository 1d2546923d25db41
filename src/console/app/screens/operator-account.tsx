import { useSignal } from '@preact/signals'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import type { PendingWork } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { shellWord } from '../parts/copy-as.ts'
import { Listing } from '../parts/listing.tsx'
import { Facts, figure, sizeOf, timeOf, To, Wrong } from '../parts/show.tsx'
import { SCOPES } from '../../../kernel/scope.ts'
import { Secret } from '../parts/secret.tsx'
import { UsageBars, UsageByOutcome } from '../charts/usage-chart.tsx'
import { operatorWords } from '../operator-words.ts'
import { screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'
import type { Client, AccountDetail } from '../../../client.ts'

/** One account, and the acts of an operator on it. */
export function OperatorAccount() {
  const id = screenAddress.value.query.get('id') ?? ''
  const account = useAnswer(() => client.value.operator.account(id), [id])
  const usage = useAnswer(() => client.value.operator.usage(id), [id])
  const action = useAction()
  const message = useSignal('')
  const now = account.value
  return (
    <>
      <p>
        <To screen="operator">{operatorWords.back}</To>
      </p>
      <h1>{id}</h1>
      <Wrong problem={action.problem ?? account.problem ?? usage.problem} />
      <p role="status">{message.value}</p>
      {now && (
        <>
          <AccountFacts account={now} />
          <Change
            account={now}
            action={action}
            onDone={() => {
              message.value = operatorWords.done
              account.again()
            }}
          />
          {usage.value && usage.value.byDay.length > 0 && (
            <section aria-labelledby="usage">
              <h2 id="usage">{words.usage.spent}</h2>
              <UsageBars usage={usage.value} />
              <UsageByOutcome usage={usage.value} />
            </section>
          )}
          <AccountKeys id={id} action={action} />
          <CopyAs
            call={{
              method: 'GET',
              path: `/api/v1/operator/accounts/${encodeURIComponent(id)}`,
              operation: 'operator.account',
              args: [id],
              command: `accounts show ${shellWord(id)}`,
            }}
          />
        </>
      )}
    </>
  )
}

function AccountFacts({ account }: { readonly account: AccountDetail }) {
  const { set, holds, runs } = account
  return (
    <>
      <div class="tiles">
        <div>
          <span>{operatorWords.state}</span>
          <strong>{account.state}</strong>
        </div>
        <div>
          <span>{operatorWords.plan}</span>
          <strong>{account.plan.name}</strong>
        </div>
        <div>
          <span>{operatorWords.wallet}</span>
          <strong>{figure(account.wallet)}</strong>
        </div>
        <div>
          <span>{operatorWords.held}</span>
          <strong>{figure(account.held)}</strong>
        </div>
      </div>
      {set && <p>{operatorWords.setBy(set.by.user, timeOf(set.since), set.reason)}</p>}
      <Facts
        facts={[
          [operatorWords.facts.keys, figure(holds.keys)],
          [operatorWords.facts.tasks, figure(holds.tasks)],
          [operatorWords.facts.datasets, figure(holds.datasets)],
          [operatorWords.facts.bytes, sizeOf(holds.bytes)],
          [operatorWords.unfinished, operatorWords.runs(runs.running, runs.queued, runs.paused)],
        ]}
      />
      <p>
        <To screen="operator" query={{ tab: 'runs', account: account.id }}>
          {operatorWords.itsRuns}
        </To>
      </p>
    </>
  )
}

/** State, plan and credits. Each change needs the reason in the field above. */
function Change({
  account,
  action,
  onDone,
}: {
  readonly account: AccountDetail
  readonly action: PendingWork
  readonly onDone: () => void
}) {
  const reason = useTyped('reason', '')
  const plan = useTyped('plan', account.plan.id)
  const credits = useTyped('credits', '')
  const plans = useAnswer(() => client.value.billing.plans(), [])
  const { id, state } = account
  const act = (
    work: (operator: Client['operator'], body: { readonly reason: string }) => Promise<unknown>,
  ) =>
    action.run(async ({ operator }) => {
      await work(operator, { reason: reason.value.trim() })
      reason.value = ''
      credits.value = ''
      onDone()
    })
  const cannot = action.isBusy || reason.value.trim() === ''
  const isNumber = /^-?[1-9]\d{0,8}$/.test(credits.value)
  return (
    <section aria-labelledby="change">
      <h2 id="change">{operatorWords.change}</h2>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>{operatorWords.aboutReason}</span>
          <input
            size={32}
            maxLength={500}
            value={reason}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
      </form>
      <div class="choices">
        {state === 'active' ? (
          <button
            type="button"
            disabled={cannot}
            onClick={() =>
              confirm(operatorWords.sure.suspend(id)) &&
              act((operator, body) => operator.suspend(id, body))
            }
          >
            {operatorWords.suspend}
          </button>
        ) : (
          <button
            type="button"
            disabled={cannot}
            onClick={() => act((operator, body) => operator.resume(id, body))}
          >
            {operatorWords.resume}
          </button>
        )}
        {state !== 'closed' && (
          <button
            type="button"
            class="quiet"
            disabled={cannot}
            onClick={() =>
              confirm(operatorWords.sure.close(id)) &&
              act((operator, body) => operator.close(id, body))
            }
          >
            {operatorWords.close}
          </button>
        )}
      </div>
      <div class="filters">
        <label>
          <span>{operatorWords.plan}</span>
          <input
            list="plans"
            value={plan}
            onInput={(event) => (plan.value = event.currentTarget.value.trim())}
          />
          <datalist id="plans">
            {(plans.value?.plans ?? []).map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choice.name}
              </option>
            ))}
          </datalist>
        </label>
        <button
          type="button"
          disabled={cannot || plan.value === '' || plan.value === account.plan.id}
          onClick={() =>
            act((operator, body) => operator.setPlan(id, { plan: plan.value, ...body }))
          }
        >
          {operatorWords.setPlan}
        </button>
      </div>
      <div class="filters">
        <label>
          <span>{operatorWords.amount}</span>
          <input
            type="number"
            step={1}
            value={credits}
            onInput={(event) => (credits.value = event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          disabled={cannot || !isNumber}
          onClick={() =>
            act((operator, body) =>
              operator.adjust(id, { credits: Number(credits.value), ...body }),
            )
          }
        >
          {operatorWords.adjust}
        </button>
      </div>
    </section>
  )
}

function AccountKeys({ id, action }: { readonly id: string; readonly action: PendingWork }) {
  const list = useList(
    (cursor) =>
      client.value.operator.keys(id, { limit: 50, ...(cursor !== undefined && { cursor }) }),
    [id],
  )
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{operatorWords.keys}</h2>
      <NewKey id={id} onMade={list.again} />
      <Listing
        caption={operatorWords.keys}
        list={list}
        empty={<p>{operatorWords.noKeys}</p>}
        columns={[
          { name: operatorWords.name, cell: ({ name }) => name },
          { name: operatorWords.scopes, cell: ({ scopes }) => scopes.join(', ') },
          { name: operatorWords.created, cell: ({ createdAt }) => timeOf(createdAt) },
          { name: operatorWords.used, cell: ({ lastUsedAt }) => timeOf(lastUsedAt) },
          {
            name: words.actions,
            isPlain: true,
            cell: ({ id: key, name, revokedAt }) =>
              revokedAt === null ? (
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() => {
                    const reason = prompt(
                      operatorWords.reasonFor(`${operatorWords.revoke} ${name}`),
                    )
                    if (!reason?.trim()) return
                    action.run(async ({ operator }) => {
                      await operator.revokeKey(id, key, { reason: reason.trim() })
                      list.again()
                    })
                  }}
                >
                  {operatorWords.revoke}
                </button>
              ) : (
                <span class="state dim">{operatorWords.revoked}</span>
              ),
          },
        ]}
      />
    </section>
  )
}

/** A key for a user of the account. It is shown once. */
function NewKey({ id, onMade }: { readonly id: string; readonly onMade: () => void }) {
  const name = useTyped('key name', '')
  const scopes = useTyped('key scopes', '*')
  const reason = useTyped('key reason', '')
  const secret = useSignal<string | null>(null)
  const action = useAction()
  const about = operatorWords.newKey
  const input = (label: string, value: typeof name, size: number, list?: string) => (
    <label>
      <span>{label}</span>
      <input
        required
        size={size}
        list={list}
        maxLength={500}
        value={value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  )
  return (
    <details>
      <summary>{about.title}</summary>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          action.run(async ({ operator }) => {
            const made = await operator.createKey(id, {
              name: name.value.trim(),
              scopes: scopes.value.split(/[\s,]+/).filter((scope) => scope !== ''),
              reason: reason.value.trim(),
            })
            secret.value = made.secret
            name.value = ''
            reason.value = ''
            onMade()
          })
        }}
      >
        {input(operatorWords.name, name, 20)}
        {input(about.scopes, scopes, 32, 'known-scopes')}
        {input(about.reason, reason, 32)}
        <datalist id="known-scopes">
          {['*', ...SCOPES].map((scope) => (
            <option key={scope} value={scope} />
          ))}
        </datalist>
        <button type="submit" disabled={action.isBusy}>
          {about.make}
        </button>
      </form>
      <Secret secret={secret.value} about={about.about} />
      <Wrong problem={action.problem} />
    </details>
  )
}
