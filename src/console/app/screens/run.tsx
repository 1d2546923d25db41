import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Execution } from '../../../client.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { shellWord } from '../parts/copy-as.ts'
import type { CopiedCall } from '../parts/copy-as.ts'
import { RunFigures } from '../parts/outcomes.tsx'
import { Facts, figure, sizeOf, State, Tabs, timeOf, To, Unread, Wrong } from '../parts/show.tsx'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { Actions } from '../run/actions.tsx'
import { PagesOf } from '../run/pages.tsx'
import { RowsOf } from '../run/rows.tsx'
import { TimesOf } from '../run/times.tsx'
import { newest, recentCounts, speedOf, watchRun, wholeSpeed } from '../run/watch-run.ts'
import type { VisitCount } from '../run/watch-run.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

const TABS = [
  ['rows', words.run.tabs.rows],
  ['pages', words.run.tabs.pages],
  ['times', words.run.tabs.times],
  ['steps', words.run.tabs.steps],
  ['about', words.run.tabs.about],
] as const

/** One run, live by its events: its state, its rows, and the outcome of each page. */
export function Run() {
  const { query } = screenAddress.value
  const id = query.get('id') ?? ''
  const [tab] = TABS.find(([name]) => name === query.get('tab')) ?? TABS[0]
  const first = useAnswer(() => client.value.executions.get(id), [id])
  const latest = useSignal<Execution | null>(null)
  const now = latest.value === null ? first.value : newest(latest.value, first.value)
  const counts = useRef<readonly VisitCount[]>([])
  const lost = useSignal<string | null>(null)
  const action = useAction()
  const taskId = now?.taskId ?? null
  // A run of a task that is deleted, or that this key may not see, is shown without its name.
  const task = useAnswer(
    async () =>
      taskId !== null && can('tasks:read')
        ? client.value.tasks.get(taskId).catch(() => null)
        : null,
    [taskId],
  )

  const isOver = now === null || now.finishedAt !== null
  useEffect(() => {
    if (isOver) return
    const left = new AbortController()
    void watchRun(id, {
      signal: left.signal,
      onState: (state) => {
        latest.value = newest(state, latest.value)
        lost.value = null
      },
      onLost: (message) => (lost.value = message),
    })
    return () => left.abort()
  }, [id, isOver])

  if (now === null) return <Unread title={words.run.title} problem={first.problem} />
  const { counters, cost } = now
  // The time of an outage must not count for the speed.
  if (lost.value === null)
    counts.current = recentCounts(counts.current, {
      time: systemClock.now(),
      pages: counters.visited,
    })
  const speed = now.finishedAt === null ? speedOf(counts.current) : wholeSpeed(now)
  return (
    <>
      <div class="head">
        <h1>
          {words.run.title} <State state={now.status} />
        </h1>
        {now.taskId !== null && (
          <To screen="task" query={{ id: now.taskId }}>
            {task.value?.name ?? words.runs.task}
          </To>
        )}
      </div>
      <Actions run={now} action={action} onChange={(state) => (latest.value = state)} />
      {now.reason && <p role="alert">{now.reason.message}</p>}
      <Wrong problem={action.problem ?? lost.value} />
      <RunFigures
        counters={counters}
        tiles={[
          [words.run.visited, figure(counters.visited)],
          [words.run.rows, figure(counters.rows)],
          [
            now.finishedAt === null ? words.run.speed : words.run.wholeSpeed,
            speed === null ? '–' : figure(speed, 1),
          ],
          [words.run.credits, figure(cost.credits)],
          now.finishedAt === null && counters.pending > 0 && speed
            ? [words.run.left, words.run.seconds(figure(Math.ceil(counters.pending / speed)))]
            : null,
        ]}
      />
      <Tabs
        tabs={TABS}
        current={tab}
        label={words.run.title}
        onTab={(next) => changeQuery({ tab: next, row: '', page: '' })}
      />
      {tab === 'rows' && <RowsOf run={now} />}
      {tab === 'pages' && <PagesOf run={now} />}
      {tab === 'times' && <TimesOf run={now} />}
      {tab === 'steps' && <Steps run={now} />}
      {tab === 'about' && <About run={now} />}
      {tab !== 'rows' && tab !== 'pages' && <CopyAs call={callOf(now, tab)} />}
    </>
  )
}

/** The call that returns the content of a tab. The calls of rows and pages include the selection. */
function callOf(
  { id, taskId }: Pick<Execution, 'id' | 'taskId'>,
  tab: 'times' | 'steps' | 'about',
): CopiedCall {
  const path = `/api/v1/executions/${encodeURIComponent(id)}`
  if (tab === 'steps')
    return {
      method: 'GET',
      path: `${path}/plan/steps`,
      operation: 'executions.planSteps',
      args: [id],
    }
  return {
    method: 'GET',
    path,
    operation: 'executions.get',
    args: [id],
    command: `runs show ${shellWord(id)}`,
    // The tool does not read runs of tasks.
    ...(taskId === null && { tool: { name: 'get_run', arguments: { runId: id } } }),
    note: tab === 'times' ? words.run.eventsOf(`${path}/events?lastEventId=0`) : undefined,
  }
}

/** The steps of its plan, with their counters. */
function Steps({ run: { id, counters } }: { readonly run: Execution }) {
  const plan = useAnswer(() => client.value.executions.planSteps(id), [id, counters.visited])
  if (plan.value === null) return <Wrong problem={plan.problem} />
  return (
    <ol class="steps">
      {plan.value.steps.map(({ id: step, title, state, counts }) => (
        <li key={step}>
          <strong>{title}</strong> <State state={state} />{' '}
          {Object.entries(counts)
            .map(
              ([name, count]) =>
                `${words.run.counts[name] ?? words.states[name] ?? name}: ${figure(count)}`,
            )
            .join(', ')}
        </li>
      ))}
    </ol>
  )
}

function About({ run }: { readonly run: Execution }) {
  const filled = Object.entries(run.filled)
  return (
    <Facts
      facts={[
        ['id', <code key="id">{run.id}</code>],
        [words.run.startedAt, timeOf(run.startedAt)],
        [words.run.finishedAt, timeOf(run.finishedAt)],
        [words.run.bytes, sizeOf(run.counters.bytes)],
        [words.run.credits, figure(run.cost.credits)],
        [words.run.reserved, figure(run.cost.reserved)],
        ...(run.failedOf === null
          ? []
          : ([
              [
                words.run.failedOf,
                <To key="failed" screen="run" query={{ id: run.failedOf }}>
                  {run.failedOf}
                </To>,
              ],
            ] as const)),
        ...(run.params === null
          ? []
          : ([
              [words.run.params, <code key="params">{JSON.stringify(run.params)}</code>],
            ] as const)),
        [
          words.run.fill,
          filled.map(([column, count]) => `${column} ${figure(count)}`).join(', ') || '–',
        ],
      ]}
    />
  )
}
