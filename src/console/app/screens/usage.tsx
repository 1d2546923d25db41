import { systemClock } from '../../../defaults/system-clock.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { PlanForm } from '../parts/plan-form.tsx'
import { save } from '../parts/save.ts'
import { Listing, whole } from '../parts/listing.tsx'
import { Facts, figure, sizeOf, timeOf, To, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { monthName, UsageBars, UsageByOutcome } from '../charts/usage-chart.tsx'
import { can, client, me } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** Shows the balance, the usage by day and task, and the statements. */
export function Usage() {
  const balance = useAnswer(() => client.value.billing.balance(), [])
  const period = MONTH.exec(screenAddress.value.query.get('month') ?? '')?.[0]
  const usage = useAnswer(
    () => client.value.billing.usage(period === undefined ? {} : { period }),
    [period],
  )
  const plans = useAnswer(() => client.value.billing.plans(), [])
  const month = period ?? lastMonths(1)[0] ?? ''
  const activity = useList(
    (cursor) =>
      client.value.billing.activity({
        limit: 30,
        from: month,
        to: monthAfter(month),
        ...(cursor !== undefined && { cursor }),
      }),
    [month],
  )
  const statements = useList(
    (cursor) =>
      client.value.billing.statements({ limit: 12, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  const action = useAction()
  const amount = useTyped('amount', '1000')
  // Figures of another month must not be shown below the name of this one.
  const isOfMonth = period === undefined || usage.value?.period === period
  const now = isOfMonth ? usage.value : null
  const limits = me.value?.limits
  return (
    <>
      <h1>{words.usage.title}</h1>
      <Wrong problem={action.problem ?? balance.problem ?? usage.problem} />
      <div class="filters">
        <label>
          <span>{words.usage.month}</span>
          <select
            value={period ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go('usage', value === '' ? {} : { month: value }, true)
            }
          >
            {lastMonths(MOST_MONTHS).map((name, index) => (
              <option key={name} value={index === 0 ? '' : name}>
                {monthName(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {balance.value && (
        <div class="tiles">
          <div>
            <span>{words.usage.spendable}</span>
            <strong>
              {balance.value.spendable === null
                ? words.usage.unlimited
                : figure(balance.value.spendable)}
            </strong>
          </div>
          <div>
            <span>{words.usage.held}</span>
            <strong>{figure(balance.value.credits.held)}</strong>
          </div>
          <div>
            <span>{words.usage.plan}</span>
            <strong>{balance.value.plan.name}</strong>
          </div>
          {now && (
            <div>
              <span>{words.usage.spent}</span>
              <strong>{figure(now.spent - now.refunded)}</strong>
            </div>
          )}
        </div>
      )}
      {plans.value?.topUps === true && can('billing:write') && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            action.run(async (api) => {
              const { url } = await api.billing.topUp({
                credits: Number(amount.value),
                returnUrl: location.href,
              })
              if (url !== null) location.assign(url)
            })
          }}
        >
          <label>
            <span>{words.usage.amount}</span>
            <input
              type="number"
              min={1}
              value={amount}
              onInput={(event) => (amount.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit" disabled={action.isBusy}>
            {words.usage.topUp}
          </button>
        </form>
      )}
      {now && <UsageBars usage={now} />}
      {now && now.byTask.length > 0 && (
        <section aria-labelledby="tasks">
          <h2 id="tasks">{words.usage.byTask}</h2>
          <Listing
            caption={words.usage.byTask}
            list={whole(now.byTask.map((line) => ({ ...line, id: line.taskId ?? '' })))}
            empty={null}
            columns={[
              {
                name: words.usage.task,
                cell: ({ taskId, name }) =>
                  taskId === null ? (
                    words.usage.otherTasks
                  ) : (
                    <To screen="task" query={{ id: taskId }}>
                      {name ?? taskId}
                    </To>
                  ),
              },
              { name: words.usage.spent, isNumber: true, cell: ({ spent }) => figure(spent) },
              {
                name: words.usage.refunded,
                isNumber: true,
                cell: ({ refunded }) => figure(refunded),
              },
            ]}
          />
        </section>
      )}
      {now && <UsageByOutcome usage={now} />}
      <section aria-labelledby="ledger">
        <h2 id="ledger">{words.usage.ledger}</h2>
        <Listing
          caption={words.usage.ledger}
          list={activity}
          empty={<p>{words.usage.none}</p>}
          columns={[
            { name: words.usage.when, cell: ({ at }) => timeOf(at) },
            {
              name: words.usage.what,
              cell: ({ text, executionId }) =>
                executionId === null ? (
                  text
                ) : (
                  <To screen="run" query={{ id: executionId, tab: 'pages' }}>
                    {text}
                  </To>
                ),
            },
            { name: words.usage.credits, isNumber: true, cell: ({ credits }) => figure(credits) },
          ]}
        />
      </section>
      <section aria-labelledby="statements">
        <h2 id="statements">{words.usage.statements}</h2>
        <Listing
          caption={words.usage.statements}
          list={statements}
          empty={<p>{words.usage.none}</p>}
          columns={[
            { name: words.usage.month, cell: ({ id }) => monthName(id) },
            {
              name: words.usage.spent,
              isNumber: true,
              cell: ({ opening, closing }) => figure(closing.revenue - opening.revenue),
            },
            {
              name: words.actions,
              isPlain: true,
              cell: ({ id }) => (
                <div class="choices">
                  {(['html', 'csv'] as const).map((format) => (
                    <button
                      key={format}
                      type="button"
                      class="quiet"
                      disabled={action.isBusy}
                      onClick={() =>
                        action.run(async () =>
                          save(await client.value.billing.statementFile(id, { format })),
                        )
                      }
                    >
                      {format === 'html' ? words.usage.print : words.run.export}
                    </button>
                  ))}
                </div>
              ),
            },
          ]}
        />
      </section>
      <PlanForm onSaved={balance.again} />
      {limits && (
        <section aria-labelledby="limits">
          <h2 id="limits">{words.usage.limits}</h2>
          <Facts
            facts={Object.entries(limits).map(([name, { used, most }]) => {
              const show = name === 'bytes' ? sizeOf : figure
              return [
                name,
                words.usage.used(show(used), most === null ? words.usage.unlimited : show(most)),
              ]
            })}
          />
        </section>
      )}
      <CopyAs
        call={{
          method: 'GET',
          path: `/api/v1/billing/usage${period === undefined ? '' : `?period=${period}`}`,
          operation: 'billing.usage',
          args: [period === undefined ? {} : { period }],
          command: `usage month${period === undefined ? '' : ` --period ${period}`}`,
        }}
      />
    </>
  )
}

const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/
/** Number of months that can be chosen. */
const MOST_MONTHS = 24

/** This month of UTC and those before it, `2026-11`. */
function lastMonths(count: number): string[] {
  return Array.from({ length: count }, (_, index) => monthAfter(systemClock.now(), -index))
}

/** The month at this distance from the month of a time. */
function monthAfter(time: string | number, months = 1): string {
  const from = new Date(time)
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1))
    .toISOString()
    .slice(0, 7)
}
