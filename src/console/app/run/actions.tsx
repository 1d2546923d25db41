import type { Client, Execution } from '../../../client.ts'
import type { useAction, Work } from '../parts/ask.ts'
import { go } from '../screen-address.ts'
import { can } from '../session.ts'
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
  const failed = counters.failed + counters.blocked
  const isActive = status === 'running' || status === 'queued'
  const button = (name: string, work: Work, isQuiet = true) => (
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
  const change =
    (verb: 'pause' | 'resume' | 'cancel'): Work =>
    async ({ executions }) =>
      onChange(await executions[verb](id))
  const other =
    (work: (api: Client) => Promise<Execution>): Work =>
    async (api) =>
      go('run', { id: (await work(api)).id })
  return (
    <div class="choices">
      {isActive && button(words.run.pause, change('pause'))}
      {status === 'paused' && button(words.run.resume, change('resume'), false)}
      {(isActive || status === 'paused') && button(words.run.cancel, change('cancel'))}
      {!isActive && status !== 'paused' && (
        <>
          {button(
            words.run.retry,
            other(({ executions }) => executions.retry(id)),
          )}
          {
            // The pages of a run over kept pages were not fetched.
            run.extractOf === null &&
              failed > 0 &&
              button(
                words.run.retryFailed(failed),
                other(({ executions }) => executions.retry(id, { only: 'failed' })),
              )
          }
          {kept !== null &&
            kept.pages > 0 &&
            taskId !== null &&
            button(
              words.run.extract,
              // Uses the current `extract` of the task.
              other(async ({ executions, tasks }) => {
                const { recipe } = await tasks.get(taskId)
                return executions.extract(id, { recipe: { extract: recipe.extract ?? null } })
              }),
            )}
          {button(words.run.delete, async ({ executions }) => {
            if (!confirm(words.run.sure)) return
            await executions.delete(id)
            go('runs')
          })}
        </>
      )}
    </div>
  )
}
