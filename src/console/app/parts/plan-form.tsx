import { useAction, useAnswer } from './ask.ts'
import { figure, Wrong } from './show.tsx'
import { can, client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** The plan of the account, and its daily spending limit. */
export function PlanForm({ onSaved }: { readonly onSaved: () => void }) {
  const now = useAnswer(() => client.value.billing.subscription(), [])
  const plans = useAnswer(() => client.value.billing.plans(), [])
  /** `null`: as it is. */
  const plan = useTyped<string | null>('plan', null)
  const cap = useTyped<string | null>('cap', null)
  const action = useAction()
  const current = now.value
  if (current === null || !can('billing:write')) return <Wrong problem={now.problem} />
  const open =
    plans.value?.plans.filter(
      ({ id, access }) => id === current.plan.id || access === 'self-service',
    ) ?? []
  const planId = plan.value ?? current.plan.id
  const most = cap.value ?? String(current.dailyCap ?? '')
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{words.usage.planTitle}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          action.run(async (api) => {
            now.set(
              await api.billing.subscribe({
                plan: planId,
                dailyCap: most.trim() === '' ? null : Number(most),
              }),
            )
            plan.value = null
            cap.value = null
            onSaved()
          })
        }}
      >
        <label>
          <span>{words.usage.plan}</span>
          <select value={planId} onChange={(event) => (plan.value = event.currentTarget.value)}>
            {open.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.usage.cap}</span>
          <input
            type="number"
            min={0}
            value={most}
            placeholder={words.usage.unlimited}
            onInput={(event) => (cap.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={action.isBusy}>
          {words.usage.savePlan}
        </button>
      </form>
      <Wrong problem={action.problem} />
      <p role="status">
        {current.dailyCap !== null && words.usage.capped(figure(current.dailyCap))}
      </p>
    </section>
  )
}
