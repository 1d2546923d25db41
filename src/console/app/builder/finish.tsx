import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { SeineError } from '../../../client.ts'
import type { Execution, RecipeInput, Task, TaskPatch } from '../../../client.ts'
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
import { assignTask, draft, isChangedElsewhere, noteSave } from './draft.ts'

const POLL_MS = 1_000
/** The most characters of a name. */
const MOST_NAME = 200
const RUNNING = new Set(['pending', 'queued', 'running', 'cancelling', 'pausing'])

/** Gives a task a new recipe, unless its recipe was changed elsewhere since the draft was begun. */
async function update(
  id: string,
  change: TaskPatch & { readonly recipe: RecipeInput },
): Promise<Task> {
  const now = await client.value.tasks.get(id)
  if (isChangedElsewhere(draft.value, now))
    throw new SeineError('conflict', words.finish.changed, { status: 409 })
  noteSave(change.recipe)
  return client.value.tasks.update(id, change, { ifMatch: now })
}

/** A name for a new task: with a number if another task has it. */
async function freeName(name: string): Promise<string> {
  const { items } = await client.value.tasks.list({ q: name, limit: 100 })
  const names = new Set(items.map((task) => task.name))
  let free = name
  for (let number = 2; names.has(free); number++) free = `${name} (${number})`
  return free
}

/** Estimate, save, run, and the same call in other languages. */
export function Finish({
  recipe,
  url,
  title,
}: {
  readonly recipe: RecipeInput
  readonly url: string
  /** The title of its page, if that is shown. */
  readonly title: string | null
}) {
  const id = draft.value?.url === url ? (draft.value.task ?? null) : null
  const existing = useAnswer(async () => (id === null ? null : client.value.tasks.get(id)), [id])
  const usual =
    (id === null ? null : existing.value?.name) ?? (title || (URL.parse(url)?.hostname ?? ''))
  const name = useTyped('name', usual.slice(0, MOST_NAME))
  /** The task, and the text of the recipe that it was saved with. */
  const saved = useSignal<{ readonly text: string; readonly task: Task } | null>(null)
  const started = useSignal<Execution | null>(null)
  const turn = useSignal(0)
  const action = useAction()
  const text = JSON.stringify(recipe)
  const task = saved.value?.text === text ? saved.value.task : null
  const changeTask = (changed: Task): void => void (saved.value = { text, task: changed })
  const estimate = useAnswer(() => client.value.estimates.recipe({ recipe }), [text])
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
  /** The recipe of the last attempt: its error says nothing about another one. */
  const attempted = useRef(text)

  const attempt = (work: () => Promise<unknown>): void => {
    attempted.current = text
    action.run(async () => void (await work()))
  }
  const save = async (): Promise<string> => {
    if (task !== null) return task.id
    saved.value = null
    const typed = name.value.trim() || url
    let answer: Task
    if (id === null) {
      answer = await client.value.tasks.create({ recipe, name: await freeName(typed) })
    } else answer = await update(id, typed === usual ? { recipe } : { recipe, name: typed })
    name.value = answer.name
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
              attempt(async () => {
                started.value = await client.value.executions.start(await save())
              })
            }
          >
            {words.finish.run}
          </button>
        </div>
      </form>
      <Lacking scopes={['tasks:write', 'executions:write']} />
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
