import { signal } from '@preact/signals'
import { render } from 'preact'
import { systemClock } from '../../../defaults/system-clock.ts'
import { isObject } from '../../../kernel/json.ts'
import { useFirstFocus } from '../parts/drawer.tsx'
import { Grid } from '../parts/grid.tsx'
import { RunFigures } from '../parts/outcomes.tsx'
import { Facts, figure, State, Wrong } from '../parts/show.tsx'
import { addressIn, figuresIn, textOf } from '../parts/values.ts'
import { words } from '../words.ts'
import { createFeed } from './feed.ts'
import type { Feed } from './feed.ts'
import { connectHost, parentFrame } from './host.ts'
import type { Host, ToolAnswer } from './host.ts'
import type { ShownRun } from './shown.ts'

// The view of an MCP App (SEP-1865). A chat shows it beside the result of a tool, in a frame
// without network access. Its content is text, and comes only from its host.

type Data = { readonly [name: string]: unknown }

/** Names of styles that a host may set: `--color-text-primary`. */
const HOST_STYLES = /^--(?:color|font|border|shadow)-[\w-]+$/

const host = signal<Host | null>(null)
const feed = signal<Feed | null>(null)
const isCancelled = signal(false)
/** The row of the result that is shown in full. */
const open = signal<number | null>(null)

function View() {
  const current = feed.value
  if (isCancelled.value) return <p role="status">{words.agent.cancelled}</p>
  if (current?.note.value != null) return <p class="pre">{current.note}</p>
  if (current === null || (current.hasMore.value === null && current.problem.value === null))
    return <p role="status">{words.loading}</p>
  const { run, problem } = current
  return (
    <>
      {run.value && <RunHead run={run.value} />}
      {problem.value !== null && (
        <div class="choices">
          <Wrong problem={problem.value} />
          {host.value?.callsTools && current.hasMore.value !== null && (
            <button type="button" class="quiet" onClick={current.again}>
              {words.agent.again}
            </button>
          )}
        </div>
      )}
      <Table feed={current} />
    </>
  )
}

/** The state of a run, and the reason for its failure or for failed pages. */
function RunHead({ run }: { readonly run: ShownRun }) {
  return (
    <>
      <h1>
        {words.run.title} <State state={run.status} />
      </h1>
      {run.reason !== null && <p role="alert">{run.reason}</p>}
      <RunFigures
        counters={{ fetched: run.fetched, failed: run.failed }}
        tiles={[
          [words.run.rows, figure(run.rows)],
          [words.agent.pages, `${figure(run.fetched)} / ${figure(run.discovered)}`],
          [words.run.credits, figure(run.credits)],
        ]}
      />
      {run.failedPages.length > 0 && (
        <details>
          <summary>{words.run.errors}</summary>
          <ul>
            {run.failedPages.map(({ url, message }) => (
              <li key={url}>
                <bdi>{url}</bdi>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** All rows that were read so far. The others are read when the reader scrolls to them. */
function Table({ feed: { run, rows, columns, hasMore, more } }: { readonly feed: Feed }) {
  const names = columns.value
  const list = rows.value
  const row = open.value === null ? undefined : list[open.value]
  if (list.length === 0) {
    if (hasMore.value === null) return null
    return <p>{run.value?.done === false ? words.run.noRowsYet : words.agent.noRows}</p>
  }
  return (
    <>
      <Grid
        label={words.run.rows}
        total={run.value?.rows ?? (hasMore.value ? null : list.length)}
        onMore={more}
        onOpen={(index) => (open.value = index)}
        rows={{
          names,
          count: list.length,
          text: (index, name) => textOf(list[index]?.[name]),
          figures: figuresIn(list, names),
        }}
      />
      <p role="status">{words.agent.read(figure(list.length))}</p>
      {row && (
        <OneRow key={open.value} row={row} names={names} onClose={() => (open.value = null)} />
      )}
    </>
  )
}

/** A row with its values in full. Its addresses are opened by the host. */
function OneRow({
  row,
  names,
  onClose,
}: {
  readonly row: Data
  readonly names: readonly string[]
  readonly onClose: () => void
}) {
  const close = useFirstFocus()
  return (
    <section
      aria-label={words.agent.row}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose()
      }}
    >
      <div class="head">
        <h2>{words.agent.row}</h2>
        <button type="button" class="quiet" ref={close} onClick={onClose}>
          {words.run.close}
        </button>
      </div>
      <Facts facts={names.map((name) => [name, <Value key={name} value={row[name]} />] as const)} />
    </section>
  )
}

function Value({ value }: { readonly value: unknown }) {
  const url = addressIn(value)
  const current = host.value
  if (url === null || !current?.opensLinks) return <span class="pre">{textOf(value)}</span>
  return (
    <button type="button" class="link" onClick={() => void current.open(url).catch(() => {})}>
      <bdi>{url}</bdi>
    </button>
  )
}

/** Applies the look of the host. Later messages contain only changes. */
function applyContext({ theme, styles }: Data): void {
  const root = document.documentElement
  if (theme === 'light' || theme === 'dark') root.dataset['look'] = theme
  const variables = isObject(styles) ? styles['variables'] : null
  for (const [name, value] of Object.entries(isObject(variables) ? variables : {}))
    if (HOST_STYLES.test(name) && typeof value === 'string') root.style.setProperty(name, value)
}

async function start(root: HTMLElement): Promise<void> {
  render(<View />, root)
  let input: Data = {}
  let early: ToolAnswer | null = null
  const frame = parentFrame()
  const connected = await connectHost(frame, {
    onInput: (args) => (input = args),
    onResult(answer) {
      isCancelled.value = false
      open.value = null
      if (feed.value) feed.value.take(answer, input)
      else early = answer
    },
    onCancelled: () => (isCancelled.value = true),
    onContext: applyContext,
    onEnd: () => feed.value?.stop(),
  })
  const made = createFeed({
    call: connected.callsTools ? connected.call : null,
    sleep: (ms) => systemClock.sleep(ms),
    isSeen: () => !document.hidden,
  })
  host.value = connected
  feed.value = made
  if (early) made.take(early, input)
  new ResizeObserver(([entry]) => {
    if (!entry) return
    const { width, height } = root.getBoundingClientRect()
    connected.resized(Math.ceil(width), Math.ceil(height))
  }).observe(root)
}

const root = document.getElementById('app')
if (root) await start(root)
