import { SeineError } from '../../../client.ts'
import type { Execution } from '../../../client.ts'
import type { useAction } from '../parts/ask.ts'
import { go } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** Label of the pages that a run begins with. */
const START = 'start'
/** Failed pages that are started again at once. */
const MOST_FAILED = 1_000

/** Buttons for the actions that a run's state allows. */
export function Actions({
  run: { id, taskId, status, kept, counters },
  action,
  onChange,
}: {
  readonly run: Execution
  readonly action: ReturnType<typeof useAction>
  readonly onChange: (state: Execution) => void
}) {
  if (!can('executions:write')) return null
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
          {button(words.run.retry, other(executions.retry))}
          {taskId !== null &&
            failed > 0 &&
            button(
              words.run.retryFailed(failed),
              other((run) => startFailed(run, taskId)),
            )}
          {kept !== null &&
            kept.pages > 0 &&
            taskId !== null &&
            button(
              words.run.extract,
              // With what the task takes from a page now.
              other(async (run) => {
                const { recipe } = await client.value.tasks.get(taskId)
                return executions.extract(run, { recipe: { extract: recipe.extract ?? null } })
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

/**
 * Starts a task with the pages of a run that failed or were blocked. Only start pages can be
 * started: what a page behind a link is, the page with the link says.
 */
async function startFailed(run: string, task: string): Promise<Execution> {
  const urls: string[] = []
  for (const outcome of ['failed', 'blocked'] as const)
    for await (const { url, label } of client.value.executions.iteratePages(run, {
      outcome,
      limit: 100,
    })) {
      if (label !== START) throw new SeineError('CONFLICT', words.run.onlyStarts, { status: 409 })
      if (urls.length < MOST_FAILED) urls.push(url)
    }
  return client.value.executions.start(task, { urls })
}
