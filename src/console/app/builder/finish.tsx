import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Client, Execution, RecipeInput, Task } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { can, client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { Lacking, To, Wrong } from '../parts/show.tsx'
import { DatasetChoice } from '../task/dataset-choice.tsx'
import { NotifyForm } from '../task/notify-form.tsx'
import { ScheduleForm } from '../task/schedule-form.tsx'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { CopyAs } from '../parts/copies.tsx'
import { assignTask, draft } from './draft.ts'
import { cutName, freeName, MOST_NAME, updateTask } from './save-task.ts'

const POLL_MS = 1_000
const RUNNING = new Set(['pending', 'queued', 'running', 'cancelling', 'pausing'])

/** Estimate, save, run, and the same call in other languages. */
export function Finish({
  recipe,
  url,
  title,
}: {
  readonly recipe: RecipeInput
  readonly url: string
  /** The title of its page, if this page is shown. */
  readonly title: string | null
}) {
  const savedId = () => (draft.value?.url === url ? (draft.value.task ?? null) : null)
  const id = savedId()
  const existing = useAnswer(async () => (id === null ? null : client.value.tasks.get(id)), [id])
  const usual =
    (id === null ? null : existing.value?.name) ?? (title || (URL.parse(url)?.hostname ?? ''))
  const name = useTyped('name', cutName(usual))
  /** The task, and the text of the recipe that it was saved with. */
  const saved = useSignal<{ readonly text: string; readonly task: Task } | null>(null)
  const started = useSignal<Execution | null>(null)
  const turn = useSignal(0)
  const action = useAction()
  const text = JSON.stringify(recipe)
  const savedTask = () => (saved.value?.text === text ? saved.value.task : null)
  const task = savedTask()
  const changeTask = (changed: Task): void => void (saved.value = { text, task: changed })
  const answer = useAnswer(
    async () => ({ text, ...(await client.value.estimates.recipe({ recipe })) }),
    [text],
  )
  // The estimate of the earlier recipe does not apply to this one.
  const estimate = answer.value?.text === text ? answer.value : null
  const runId = started.value?.id
  const state = useAnswer(
    async (left) =>
      runId === undefined ? null : client.value.executions.get(runId, { signal: left }),
    [runId, turn.value],
  )
  const running = state.value?.id === runId ? (state.value ?? null) : started.value
  useEffect(() => {
    if (running === null || !RUNNING.has(running.status)) return
    const left = new AbortController()
    systemClock.sleep(POLL_MS, left.signal).then(
      () => (turn.value += 1),
      () => undefined,
    )
    return () => left.abort()
  }, [running])
  /** The recipe of the last attempt. Its error does not apply to another recipe. */
  const attempted = useRef(text)

  const attempt = (work: (api: Client) => Promise<unknown>): void => {
    attempted.current = text
    action.run(async (api) => void (await work(api)))
  }
  const save = async (api: Client): Promise<string> => {
    // An earlier attempt may have saved it already.
    const before = savedTask()
    if (before !== null) return before.id
    const now = savedId()
    saved.value = null
    const typed = name.value.trim() || url
    const made =
      now === null
        ? await api.tasks.create({ recipe, name: await freeName(api, typed) })
        : await updateTask(now, typed === usual ? { recipe } : { recipe, name: typed })
    name.value = made.name
    // If the recipe was edited meanwhile, it must be saved again.
    changeTask(made)
    // Later saves change the same task, even after a reload.
    const { screen, query } = screenAddress.value
    const isShown = screen === 'build' && (query.get('url') ?? url) === url
    if (assignTask(url, made) && isShown) changeQuery({ task: made.id })
    return made.id
  }

  return (
    <section class="finish" aria-label={words.finish.title}>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          attempt(save)
        }}
      >
        <label for="task-name">{words.finish.name}</label>
        <input
          id="task-name"
          maxLength={MOST_NAME}
          value={name}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <div class="choices">
          <button type="submit" disabled={action.isBusy || !can('tasks:write')}>
            {words.finish.save}
          </button>
          <button
            type="button"
            disabled={action.isBusy || !can('executions:write')}
            onClick={() =>
              attempt(async (api) => {
                started.value = await api.executions.start(await save(api))
              })
            }
          >
            {words.finish.run}
          </button>
        </div>
      </form>
      <Lacking scopes={['tasks:write', 'executions:write']} />
      {estimate && (
        <p>
          {words.finish.estimate(estimate.pages, estimate.credits)}
          {!estimate.wallet.enough && ` ${words.finish.notEnough}`}
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
      <Wrong problem={(attempted.current === text ? action.problem : null) ?? state.problem} />
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
