import { SeineError } from '../../../client.ts'
import type { Execution, PageReceipt } from '../../../client.ts'
import type { useAction } from '../parts/ask.ts'
import { go } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'
import { MOST_FAILED, startsAmong } from './failed-pages.ts'

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
          {button(words.run.retry, other(executions.retry))}
          {taskId !== null &&
            // Those of a run over kept pages were not fetched.
            run.extractOf === null &&
            failed > 0 &&
            button(
              failed > MOST_FAILED
                ? words.run.retryFirst(MOST_FAILED, failed)
                : words.run.retryFailed(failed),
              other(() => startFailed(run, taskId)),
            )}
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

/**
 * Starts a task with the pages of a run that failed or were blocked, with the parameters of that
 * run, and for no more than it could have cost. Only start pages can be started: what a page behind
 * a link is, the page with the link says.
 */
async function startFailed(
  { id, params, cost: { reserved } }: Execution,
  task: string,
): Promise<Execution> {
  const { executions, tasks } = client.value
  const { recipe } = await tasks.get(task)
  const urls = await startsAmong(failedPages(id), recipe)
  if (urls === null) throw new SeineError('CONFLICT', words.run.onlyStarts, { status: 409 })
  return executions.start(task, {
    urls,
    ...(params && { params }),
    ...(reserved > 0 && { budget: { credits: reserved } }),
  })
}

async function* failedPages(run: string): AsyncGenerator<PageReceipt> {
  for (const outcome of ['failed', 'blocked'] as const)
    yield* client.value.executions.iteratePages(run, { outcome, limit: 100 })
}
