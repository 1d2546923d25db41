import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useAction, useAnswer } from './ask.ts'
import { figure, Wrong } from './show.tsx'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** The plan of the account, and how much may be spent in a day. */
export function PlanForm({ onSaved }: { readonly onSaved: () => void }) {
  const now = useAnswer(() => client.value.billing.subscription(), [])
  const plans = useAnswer(() => client.value.billing.plans(), [])
  const plan = useSignal('')
  const cap = useSignal('')
  const action = useAction()
  const current = now.value
  useEffect(() => {
    if (current === null) return
    plan.value = current.plan.id
    cap.value = current.dailyCap === null ? '' : String(current.dailyCap)
  }, [current])
  if (current === null || !can('billing:write')) return <Wrong problem={now.problem} />
  const open =
    plans.value?.plans.filter(
      ({ id, access }) => id === current.plan.id || access === 'self-service',
    ) ?? []
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{words.usage.planTitle}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          action.run(async () => {
            now.set(
              await client.value.billing.subscribe({
                plan: plan.value,
                dailyCap: cap.value.trim() === '' ? null : Number(cap.value),
              }),
            )
            onSaved()
          })
        }}
      >
        <label>
          <span>{words.usage.plan}</span>
          <select value={plan} onChange={(event) => (plan.value = event.currentTarget.value)}>
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
            value={cap}
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
