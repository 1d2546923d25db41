import type { Execution } from '../../../client.ts'
import type { useAction } from '../parts/ask.ts'
import { go } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** Buttons for the actions that a run's state allows. */
export function Actions({
  run,
  action,
  onChange,
}: {
  readonly run: Execution
  readonly action: ReturnType<typeof useAction>
  readonly onChange: (state: Execution) => void
}) {
  if (!can('executions:write')) return null
  const { id, taskId, status, kept, counters } = run
  const { executions } = client.value
  const failed = counters.failed + counters.blocked
  const isActive = status === 'running' || status === 'queued'
  const button = (name: string, work: () => Promise<void>, isQuiet = true) => (
    <button
      key={name}
      type="button"
      class={isQuiet ? 'quiet' : undefined}
      disabled={action.isBusy}
      onClick={() => action.run(work)}
    >
      {name}
    </button>
  )
  const change = (work: (id: string) => Promise<Execution>) => async () => onChange(await work(id))
  const other = (work: (id: string) => Promise<Execution>) => async () =>
    go('run', { id: (await work(id)).id })
  return (
    <div class="choices">
      {isActive && button(words.run.pause, change(executions.pause))}
      {status === 'paused' && button(words.run.resume, change(executions.resume), false)}
      {(isActive || status === 'paused') && button(words.run.cancel, change(executions.cancel))}
      {!isActive && status !== 'paused' && (
        <>
          {button(
            words.run.retry,
            other(() => executions.retry(id)),
          )}
          {
            // The pages of a run over kept pages were not fetched.
            run.extractOf === null &&
              failed > 0 &&
              button(
                words.run.retryFailed(failed),
                other(() => executions.retry(id, { only: 'failed' })),
              )
          }
          {kept !== null &&
            kept.pages > 0 &&
            taskId !== null &&
            button(
              words.run.extract,
              // With what the task takes from a page now.
              other(async () => {
                const { recipe } = await client.value.tasks.get(taskId)
                return executions.extract(id, { recipe: { extract: recipe.extract ?? null } })
              }),
            )}
          {button(words.run.delete, async () => {
            if (!confirm(words.run.sure)) return
            await executions.delete(id)
            go('runs')
          })}
        </>
      )}
    </div>
  )
}
