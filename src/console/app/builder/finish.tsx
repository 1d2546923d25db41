import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { SeineError } from '../../../client.ts'
import type { Estimate, Execution, RecipeInput, Task } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'
import { To } from '../parts/show.tsx'
import { DatasetChoice } from '../task/dataset-choice.tsx'
import { NotifyForm } from '../task/notify-form.tsx'
import { ScheduleForm } from '../task/schedule-form.tsx'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { CopyAs } from '../parts/copies.tsx'
import { problemOf } from '../parts/problem.ts'
import { assignTask, draft, isChangedElsewhere, noteSave } from './draft.ts'

const POLL_MS = 1_000
const RUNNING = new Set(['pending', 'queued', 'running', 'cancelling', 'pausing'])

/** Gives a task a new recipe, unless its recipe was changed elsewhere since the draft was begun. */
async function update(id: string, recipe: RecipeInput): Promise<Task> {
  const now = await client.value.tasks.get(id)
  if (isChangedElsewhere(draft.value, now))
    throw new SeineError('conflict', words.finish.changed, { status: 409 })
  noteSave(recipe)
  return client.value.tasks.update(id, { recipe }, { ifMatch: now })
}

/** Estimate, save, run, and the same call in other languages. */
export function Finish({ recipe, url }: { readonly recipe: RecipeInput; readonly url: string }) {
  const name = useTyped('name', URL.parse(url)?.hostname ?? '')
  /** The task, and the text of the recipe that it was saved with. */
  const saved = useSignal<{ readonly text: string; readonly task: Task } | null>(null)
  const estimate = useSignal<Estimate | null>(null)
  const execution = useSignal<Execution | null>(null)
  const wrong = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const text = JSON.stringify(recipe)
  const task = saved.value?.text === text ? saved.value.task : null
  const changeTask = (changed: Task): void => void (saved.value = { text, task: changed })

  useEffect(() => {
    let isOld = false
    client.value.estimates.recipe({ recipe }).then(
      (answer) => {
        if (!isOld) estimate.value = answer
      },
      () => {
        if (!isOld) estimate.value = null
      },
    )
    return () => void (isOld = true)
  }, [text])

  const running = execution.value
  useEffect(() => {
    if (running === null || !RUNNING.has(running.status)) return
    const left = new AbortController()
    systemClock
      .sleep(POLL_MS, left.signal)
      .then(() => client.value.executions.get(running.id))
      .then(
        (answer) => {
          if (!left.signal.aborted) execution.value = answer
        },
        (error: unknown) => {
          if (!left.signal.aborted) wrong.value = problemOf(error).message
        },
      )
    return () => left.abort()
  }, [running])

  async function attempt(work: () => Promise<void>): Promise<void> {
    isBusy.value = true
    wrong.value = null
    try {
      await work()
    } catch (error) {
      wrong.value = problemOf(error).message
    } finally {
      isBusy.value = false
    }
  }
  const save = async (): Promise<string> => {
    if (task !== null) return task.id
    saved.value = null
    const existing = draft.value?.url === url ? (draft.value.task ?? null) : null
    const title = name.value.trim() || url
    const answer = await (existing === null
      ? client.value.tasks.create({ recipe, name: title })
      : update(existing, recipe))
    // If the recipe was edited meanwhile, it has to be saved again.
    changeTask(answer)
    // Later saves change the same task, even after a reload.
    const { screen, query } = screenAddress.value
    const isShown = screen === 'build' && (query.get('url') ?? url) === url
    if (assignTask(url, answer) && isShown) changeQuery({ task: answer.id })
    return answer.id
  }

  return (
    <section class="finish" aria-label={words.finish.title}>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          void attempt(async () => void (await save()))
        }}
      >
        <label for="task-name">{words.finish.name}</label>
        <input
          id="task-name"
          maxLength={200}
          value={name}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <div class="choices">
          <button type="submit" disabled={isBusy}>
            {words.finish.save}
          </button>
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              void attempt(async () => {
                execution.value = await client.value.executions.start(await save())
              })
            }
          >
            {words.finish.run}
          </button>
        </div>
      </form>
      {estimate.value && (
        <p>
          {words.finish.estimate(estimate.value.pages, estimate.value.credits)}
          {!estimate.value.wallet.enough && ` ${words.finish.notEnough}`}
        </p>
      )}
      <div role="status">
        {task !== null && (
          <p>
            {words.finish.saved}{' '}
            <To screen="task" query={{ id: task.id }}>
              {name}
            </To>
          </p>
        )}
        {running && (
          <p>
            {words.finish.state(words.states[running.status] ?? running.status)}{' '}
            <To screen="run" query={{ id: running.id }}>
              {words.finish.watch}
            </To>
          </p>
        )}
      </div>
      {wrong.value !== null && <p role="alert">{wrong}</p>}
      {task !== null && (
        <details class="after">
          <summary>{words.finish.later}</summary>
          <ScheduleForm task={task} onSaved={changeTask} />
          <DatasetChoice task={task} onSaved={changeTask} />
          <NotifyForm task={task} />
        </details>
      )}
      <CopyAs recipe={recipe} />
    </section>
  )
}
