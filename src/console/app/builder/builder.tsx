import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Candidates, RecipeInput, Snapshot } from '../../../client.ts'
import { Rows } from '../parts/rows.tsx'
import { go, place } from '../place.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'
import { Columns } from './columns.tsx'
import { begin, canUndo, change, draft, preview, problem, undo } from './draft.ts'
import { problemOf } from '../parts/problem.ts'
import { Finish } from './finish.tsx'
import { JsonTab } from './json-tab.tsx'
import { PageFrame } from './page-frame.tsx'
import { Pointed } from './pointed.tsx'
import { extractOf, nextOf, withItems } from './recipe.ts'
import type { Field } from './recipe.ts'

const TABS = ['table', 'columns', 'json'] as const

/** Left the page, right the table, live: what is pointed at becomes a column. */
export function Builder() {
  const url = place.value.query.get('url') ?? draft.value?.url ?? ''
  const tab = TABS.find((one) => one === place.value.query.get('tab')) ?? 'table'
  const snapshot = useSignal<Snapshot | null>(null)
  const elements = useSignal<readonly number[]>([])
  const candidates = useSignal<Candidates | null>(null)
  const shown = useSignal<readonly number[]>([])
  const pageProblem = useSignal<string | null>(null)
  const now = draft.value
  const id = now?.url === url ? now.snapshot : null

  useEffect(() => {
    if (url !== '' && draft.value?.url !== url) void begin(url)
  }, [url])
  useEffect(() => {
    snapshot.value = null
    if (id === null) return
    client.value.snapshots.get(id).then(
      (answer) => (snapshot.value = answer),
      (error: unknown) => (pageProblem.value = problemOf(error).message),
    )
  }, [id])

  async function ask(
    pointed: readonly number[],
    items: string | undefined,
  ): Promise<Candidates | null> {
    if (id === null) return null
    try {
      pageProblem.value = null
      return await client.value.snapshots.point(id, {
        elements: [...pointed],
        ...(items !== undefined && { items }),
      })
    } catch (error) {
      pageProblem.value = problemOf(error).message
      return null
    }
  }
  async function point(element: number, items = extractOf(draft.value?.recipe ?? EMPTY).items) {
    const [first] = elements.value
    // A second element that is like the first makes both of them items of a list.
    const two =
      items === undefined && first !== undefined && first !== element && elements.value.length === 1
        ? await ask([first, element], items)
        : null
    const isList = two !== null && two.lists.length > 0 && first !== undefined
    elements.value = isList ? [first, element] : [element]
    candidates.value = isList ? two : await ask([element], items)
    shown.value = []
  }
  async function chooseRows(items: string): Promise<void> {
    const [element] = elements.value
    const inItems = element === undefined ? null : await ask([element], items)
    if (inItems === null) return
    const field = (inItems.sources[0]?.field ?? ':scope') as Field
    change(withItems(draft.value?.recipe ?? EMPTY, items, [inItems.name, field]))
    done()
  }
  function done(): void {
    elements.value = []
    candidates.value = null
    shown.value = []
  }

  const recipe = now?.recipe ?? EMPTY
  const rows = preview.value?.rows ?? []
  const next = nextOf(recipe)
  return (
    <div
      class="builder"
      onKeyDown={(event) => {
        if (event.key === 'Escape') done()
        else if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !isTyping(event.target))
          undo()
      }}
    >
      <div class="head">
        <h1>{URL.parse(url)?.hostname ?? words.builder.title}</h1>
        <button type="button" class="quiet" disabled={!canUndo.value} onClick={undo}>
          {words.builder.undo}
        </button>
      </div>
      <p class="address">{url}</p>
      <div class="panes">
        <div class="left">
          <p>
            {extractOf(recipe).items === undefined
              ? words.builder.aboutPage
              : words.builder.aboutItems}
          </p>
          {candidates.value && (
            <Pointed
              candidates={candidates.value}
              onDone={done}
              onMark={(marked) => (shown.value = marked)}
              onItems={(items) => {
                void chooseRows(items)
              }}
            />
          )}
          {pageProblem.value !== null && <p role="alert">{pageProblem}</p>}
          {snapshot.value ? (
            <>
              {snapshot.value.isCut && <p>{words.builder.cut}</p>}
              <PageFrame
                snapshot={snapshot.value}
                marks={{ items: [], values: shown.value, pointed: elements.value }}
                onPoint={(element) => void point(element)}
              />
            </>
          ) : (
            <div role="status">
              {now !== null && id === null && now.url === url
                ? words.builder.noPage
                : words.start.working}
            </div>
          )}
        </div>
        <div class="right">
          <div role="tablist" aria-label={words.builder.title} class="tabs">
            {TABS.map((one) => (
              <button
                key={one}
                id={`tab-${one}`}
                type="button"
                role="tab"
                aria-selected={tab === one}
                aria-controls="panel"
                tabIndex={tab === one ? 0 : -1}
                class="quiet"
                onClick={() => go('build', { url, tab: one }, true)}
                onKeyDown={(event) => {
                  const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key]
                  if (step === undefined) return
                  const other = TABS[(TABS.indexOf(one) + step) % TABS.length] ?? 'table'
                  go('build', { url, tab: other }, true)
                  document.getElementById(`tab-${other}`)?.focus()
                }}
              >
                {words.builder.tabs[one]}
              </button>
            ))}
          </div>
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {problem.value !== null && tab !== 'json' && (
              <div role="alert">
                <p>{problem.value.message}</p>
              </div>
            )}
            {tab === 'json' ? (
              <JsonTab />
            ) : tab === 'columns' ? (
              <Columns preview={preview.value} />
            ) : rows.length === 0 ? (
              <p>{words.builder.empty}</p>
            ) : (
              <Rows rows={rows} caption={words.start.rows(preview.value?.totals.rows ?? 0)} />
            )}
          </div>
          {next !== null && (
            <p>
              {words.builder.follows} <code>{next}</code>{' '}
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  const follow = (recipe.follow ?? []).filter((rule) => !('next' in rule))
                  const { follow: _, ...rest } = recipe
                  change(follow.length > 0 ? { ...rest, follow } : rest)
                }}
              >
                {words.builder.unfollow}
              </button>
            </p>
          )}
          {now !== null && <Finish recipe={recipe} url={url} />}
        </div>
      </div>
    </div>
  )
}

const EMPTY: RecipeInput = { start: {} }

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
}
