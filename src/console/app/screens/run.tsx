import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, PageReceipt } from '../../../client.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { chosenColumns } from '../parts/chosen-columns.ts'
import { CopyAs } from '../parts/copies.tsx'
import { Grid } from '../parts/grid.tsx'
import { problemOf } from '../parts/problem.ts'
import type { CopiedCall } from '../parts/copy-as.ts'
import { PageDrawer } from '../parts/page-drawer.tsx'
import { RunFigures } from '../parts/outcomes.tsx'
import { save } from '../parts/save.ts'
import { SoughtNote, useSought } from '../parts/sought.tsx'
import { StoredTable } from '../parts/stored-table.tsx'
import { Facts, figure, sizeOf, State, Tabs, timeOf, To, Wrong } from '../parts/show.tsx'
import { changeQuery, go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

const TABS = [
  ['rows', words.run.tabs.rows],
  ['pages', words.run.tabs.pages],
  ['steps', words.run.tabs.steps],
  ['about', words.run.tabs.about],
] as const
const OUTCOMES = [
  'pending',
  'fetched',
  'unchanged',
  'duplicate',
  'skipped_robots',
  'skipped_scope',
  'skipped_depth',
  'skipped_limit',
  'blocked',
  'failed',
] as const
const FORMATS = ['csv', 'xlsx', 'jsonl', 'json', 'parquet', 'xml', 'html'] as const

/** One run, live by its events: what it does, its rows, and what became of each page. */
export function Run() {
  const { query } = screenAddress.value
  const id = query.get('id') ?? ''
  const [tab] = TABS.find(([name]) => name === query.get('tab')) ?? TABS[0]
  const first = useAnswer(() => client.value.executions.get(id), [id])
  const latest = useSignal<Execution | null>(null)
  const now = latest.value ?? first.value
  const lost = useSignal<string | null>(null)
  const action = useAction()

  const isOver = first.value === null || first.value.finishedAt !== null
  useEffect(() => {
    if (isOver) return
    const left = new AbortController()
    const follow = async () => {
      for await (const state of client.value.executions.follow(id, { signal: left.signal })) {
        latest.value = state
        lost.value = null
      }
    }
    follow().catch((error: unknown) => {
      if (!left.signal.aborted) lost.value = problemOf(error).message
    })
    return () => left.abort()
  }, [id, isOver])

  if (now === null)
    return first.problem === null ? (
      <p role="status">{words.loading}</p>
    ) : (
      <Wrong problem={first.problem} />
    )
  const { counters, cost } = now
  const seconds = secondsOf(now)
  const speed = seconds > 0 ? counters.visited / seconds : 0
  return (
    <>
      <div class="head">
        <h1>
          {words.run.title} <State state={now.status} />
        </h1>
        {now.taskId !== null && (
          <To screen="task" query={{ id: now.taskId }}>
            {words.runs.task}
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
          [words.run.speed, speed.toFixed(1)],
          [words.run.credits, figure(cost.credits)],
          now.finishedAt === null && counters.pending > 0 && speed > 0
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
      {tab === 'steps' && <Steps run={now} />}
      {tab === 'about' && <About run={now} />}
      <CopyAs call={callOf(id, tab, query.get('outcome'))} />
    </>
  )
}

/** The call that gives what a tab shows. */
function callOf(id: string, tab: (typeof TABS)[number][0], outcome: string | null): CopiedCall {
  const path = `/api/v1/executions/${encodeURIComponent(id)}`
  const tool = { name: 'get_run', arguments: { runId: id } }
  if (tab === 'rows')
    return {
      method: 'GET',
      path: `${path}/results?limit=100`,
      operation: 'results.list',
      args: [id, { limit: 100 }],
      command: `rows ${id} --limit 100`,
      tool,
    }
  if (tab === 'pages') {
    const query = { limit: 100, ...(outcome !== null && { outcome }) }
    const chosen = outcome === null ? '' : `&outcome=${encodeURIComponent(outcome)}`
    return {
      method: 'GET',
      path: `${path}/pages?limit=100${chosen}`,
      operation: 'executions.pages',
      args: [id, query],
      command: `pages ${id}${outcome === null ? '' : ` --outcome ${outcome}`} --limit 100`,
    }
  }
  return {
    method: 'GET',
    path,
    operation: 'executions.get',
    args: [id],
    command: `runs show ${id}`,
    tool,
  }
}

/** Buttons for the actions that a run's state allows. */
function Actions({
  run: { id, taskId, status, kept },
  action,
  onChange,
}: {
  readonly run: Execution
  readonly action: ReturnType<typeof useAction>
  readonly onChange: (state: Execution) => void
}) {
  if (!can('executions:write')) return null
  const { executions } = client.value
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
 * Changes when what a run has brought is to be read again: when it is many more, and when the run
 * stops, so that nothing is missing in the end.
 */
function versionOf({ id, status }: Execution, count: number): string {
  return `${id} ${status} ${Math.floor(Math.log2(count + 1))}`
}

/** The rows, of which very many may be there, and the ways to take them away. */
function RowsOf({ run }: { readonly run: Execution }) {
  const { id, counters } = run
  const format = useSignal<(typeof FORMATS)[number]>('csv')
  const saved = useSignal<string | null>(null)
  const action = useAction()
  const columns = useSignal<readonly string[]>([])
  const text = screenAddress.value.query.get('columns')
  const chosen = chosenColumns(columns.value, text)
  const version = versionOf(run, counters.rows)
  const list = useList(
    async (cursor) => {
      const answer = await client.value.results.list(id, {
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      })
      columns.value = answer.columns
      return answer
    },
    [id],
    version,
  )
  if (counters.rows === 0) return <p>{words.run.noRows}</p>
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.run.format}</span>
          <select
            value={format}
            onChange={({ currentTarget: { value } }) =>
              (format.value = FORMATS.find((one) => one === value) ?? 'csv')
            }
          >
            {FORMATS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={action.isBusy || (text !== null && columns.value.length === 0)}
          onClick={() =>
            action.run(async () =>
              save(
                await client.value.results.export(id, {
                  format: format.value,
                  ...(chosen.length < columns.value.length && { fields: chosen }),
                }),
                (bytes) => (saved.value = words.run.exported(sizeOf(bytes))),
              ),
            )
          }
        >
          {words.run.export}
        </button>
        <span role="status">{saved}</span>
      </div>
      <Wrong problem={action.problem ?? list.problem} />
      <StoredTable
        label={words.run.rows}
        columns={columns.value}
        total={counters.rows}
        list={list}
        rowOf={(index) => list.items[index]}
        file={(signal) => client.value.results.export(id, { format: 'jsonl' }, { signal })}
        version={version}
        isGrowing={run.finishedAt === null}
      />
    </>
  )
}

/** The outcome of each URL. One of them can be opened in a drawer. */
function PagesOf({ run }: { readonly run: Execution }) {
  const { id, counters, errors } = run
  const { query } = screenAddress.value
  const outcome = OUTCOMES.find((one) => one === query.get('outcome'))
  const list = useList(
    (cursor) =>
      client.value.executions.pages(id, {
        limit: 100,
        ...(outcome && { outcome }),
        ...(cursor !== undefined && { cursor }),
      }),
    [id, outcome],
    versionOf(run, counters.visited),
  )
  const pageUrl = query.get('page')
  const open = useSought(
    list,
    pageUrl,
    list.items.find(({ url }) => url === pageUrl),
  )
  const show = (page: PageReceipt | null) => changeQuery({ page: page?.url ?? '' }, page === null)
  const names: readonly string[] = [
    words.run.outcome,
    words.run.url,
    words.run.rows,
    words.run.status,
    words.run.reason,
  ]
  const cells = ({ outcome: what, url, rows, httpStatus, reason }: PageReceipt): string[] => [
    words.states[what] ?? what,
    url,
    figure(rows),
    httpStatus === null ? '' : String(httpStatus),
    reason?.message ?? '',
  ]
  const reasons = Object.entries(errors)
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.run.outcome}</span>
          <select
            value={outcome ?? ''}
            onChange={({ currentTarget: { value } }) =>
              // It is another list, in which the page may not be.
              changeQuery({ outcome: value, page: '' })
            }
          >
            <option value="">{words.tasks.all}</option>
            {OUTCOMES.map((one) => (
              <option key={one} value={one}>
                {words.states[one]} ({figure(counters[one])})
              </option>
            ))}
          </select>
        </label>
        {reasons.length > 0 && (
          <p>
            {words.run.errors}:{' '}
            {reasons.map(([code, count]) => `${code} ${figure(count)}`).join(', ')}
          </p>
        )}
      </div>
      <Wrong problem={list.problem} />
      <SoughtNote sought={open} />
      {list.hasMore === false && list.items.length === 0 ? (
        <p>{words.run.noPages}</p>
      ) : (
        <Grid
          key={outcome}
          label={words.run.tabs.pages}
          total={outcome === undefined ? counters.discovered : counters[outcome]}
          onMore={list.more}
          onOpen={(row) => show(list.items[row] ?? null)}
          rows={{
            names,
            wide: words.run.url,
            count: list.items.length,
            text: (row, name) => {
              const page = list.items[row]
              return page ? (cells(page)[names.indexOf(name)] ?? '') : ''
            },
          }}
        />
      )}
      {open.item && (
        <PageDrawer key={pageUrl} run={id} page={open.item} onClose={() => show(null)} />
      )}
    </>
  )
}

/** The steps of its plan, with what each has counted. */
function Steps({ run: { id, counters } }: { readonly run: Execution }) {
  const plan = useAnswer(() => client.value.executions.planSteps(id), [id, counters.visited])
  if (plan.value === null) return <Wrong problem={plan.problem} />
  return (
    <ol class="steps">
      {plan.value.steps.map(({ id: step, title, state, counts }) => (
        <li key={step}>
          <strong>{title}</strong> <State state={state} />{' '}
          {Object.entries(counts)
            .map(([name, count]) => `${words.states[name] ?? name}: ${figure(count)}`)
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

function secondsOf({ startedAt, finishedAt, updatedAt }: Execution): number {
  if (startedAt === null) return 0
  return (Date.parse(finishedAt ?? updatedAt) - Date.parse(startedAt)) / 1_000
}
