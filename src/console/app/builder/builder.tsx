import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Candidates, RecipeInput } from '../../../client.ts'
import { useAnswer } from '../parts/ask.ts'
import { Rows } from '../parts/rows.tsx'
import { Tabs, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { client, me } from '../session.ts'
import { words } from '../words.ts'
import { Actions, actionOn } from './actions.tsx'
import type { Verb } from './actions.tsx'
import { Columns } from './columns.tsx'
import {
  begin,
  canUndo,
  change,
  draft,
  failure,
  forgo,
  isDraftOf,
  isToBegin,
  isVisiting,
  preview,
  problem,
  showPage,
  undo,
  visit,
} from './draft.ts'
import type { RecipeDraft } from './draft.ts'
import { readProblemOf } from '../parts/problem.ts'
import { CandidateDryRuns } from './elsewhere.ts'
import type { TriedCandidates } from './elsewhere.ts'
import { Finish } from './finish.tsx'
import { JsonTab } from './json-tab.tsx'
import { titleOf } from './page-files.ts'
import { PageFrame } from './page-frame.tsx'
import { Pointed } from './pointed.tsx'
import {
  actionsOf,
  columnsOf,
  DETAIL,
  detailsOf,
  itemsOn,
  nextOf,
  rendered,
  withActions,
  withDetails,
  withItems,
  withNext,
} from './recipe.ts'
import type { RecipeField } from './recipe.ts'

const dryRuns = new CandidateDryRuns((recipe, snapshot) =>
  client.value.previews.recipe({ recipe, snapshots: [snapshot] }),
)
const TABS = ['table', 'columns', 'json'] as const

/**
 * The page is on the left, and the live table on the right. An element that the user points at
 * becomes a column.
 */
export function Builder() {
  const url = screenAddress.value.query.get('url') ?? draft.value?.url ?? ''
  const tab = TABS.find((id) => id === screenAddress.value.query.get('tab')) ?? 'table'
  const link = useSignal<number | null>(null)
  const elements = useSignal<readonly number[]>([])
  const candidates = useSignal<TriedCandidates | null>(null)
  const shown = useSignal<readonly number[]>([])
  const pageProblem = useSignal<string | null>(null)
  /** Number of the last click. Answers to earlier clicks are ignored. */
  const latest = useRef(0)
  const task = screenAddress.value.query.get('task')
  // A draft of another page must not be edited or saved as a draft of this page.
  const now = isDraftOf(draft.value, url, task) ? draft.value : null
  const id = now?.snapshot ?? null
  const recipe = now?.recipe ?? EMPTY
  const label = now?.pages.find((entry) => entry.snapshot === id)?.label ?? 'start'
  const items = itemsOn(recipe, label)
  const table = now === null ? null : preview.value
  const wrong = now === null ? failure.value : problem.value

  const page = useAnswer(
    async (left) => (id === null ? null : client.value.snapshots.get(id, { signal: left })),
    [id],
  )
  const snapshot = page.value?.id === id ? page.value : null

  useEffect(() => {
    if (url === '' || !isToBegin(url, task)) return
    // A link to the builder of a task opens the task's recipe, not a new proposal.
    void begin(url, task)
    return forgo
  }, [url, task])
  useEffect(() => {
    done()
    pageProblem.value = null
  }, [id])

  async function ask(
    pointed: readonly number[],
    within: string | undefined,
  ): Promise<Candidates | null> {
    if (id === null) return null
    const mine = latest.current
    try {
      pageProblem.value = null
      return await client.value.snapshots.point(id, {
        elements: [...pointed],
        ...(within !== undefined && { items: within }),
      })
    } catch (error) {
      if (mine === latest.current) pageProblem.value = readProblemOf(error)
      return null
    }
  }
  async function point(element: number, inLink: number | null): Promise<void> {
    const mine = ++latest.current
    link.value = inLink
    const [first] = elements.value
    // If a second element is similar to the first, both become items of a list.
    const two =
      items === undefined && first !== undefined && first !== element && elements.value.length === 1
        ? await ask([first, element], items)
        : null
    if (mine !== latest.current) return
    const isList = two !== null && two.lists.length > 0 && first !== undefined
    elements.value = isList ? [first, element] : [element]
    shown.value = []
    const answer = isList ? two : await ask([element], items)
    if (mine !== latest.current) return
    candidates.value = answer && { ...answer, elsewhere: new Map() }
    if (answer === null || id === null) return
    try {
      // Other kept pages may show that a candidate works on only one page.
      const tried = await dryRuns.of(answer, { pages: now?.pages ?? [], shown: id, items })
      if (mine === latest.current) candidates.value = tried
    } catch (error) {
      if (mine === latest.current) pageProblem.value = readProblemOf(error)
    }
  }
  /**
   * The current draft after a wait. `null`: the chosen element is no longer shown, or another one
   * was chosen since. `mine`: the number of the choice.
   */
  function draftAfter(mine: number): RecipeDraft | null {
    const after = draft.value
    return mine === latest.current && after?.url === url && after.snapshot === id ? after : null
  }
  async function chooseRows(within: string): Promise<void> {
    const mine = ++latest.current
    const [element] = elements.value
    const inItems = element === undefined ? null : await ask([element], within)
    const after = draftAfter(mine)
    if (inItems === null || after === null) return
    const field = (inItems.sources[0]?.field ?? ':scope') as RecipeField
    change(withItems(after.recipe, within, [inItems.name, field]))
    done()
  }
  /** The selector that the server proposes for an element. */
  async function selectorOf(element: number, within: string | undefined): Promise<string | null> {
    return (await ask([element], within))?.sources[0]?.selector ?? null
  }
  async function goOn(): Promise<void> {
    const mine = ++latest.current
    const links = link.value === null ? null : await selectorOf(link.value, items)
    const after = draftAfter(mine)
    if (links === null || after === null) return
    done()
    // In rows of other items the link would be another one, so the user must point at it again.
    if (itemsOn(after.recipe, label) !== items) return
    await visit(withDetails(after.recipe, links), DETAIL)
  }
  async function act(verb: Verb, value: string): Promise<void> {
    const mine = ++latest.current
    const [element] = elements.value
    const selector = element === undefined ? null : await selectorOf(element, undefined)
    const after = draftAfter(mine)
    if (selector === null || after === null) return
    done()
    await visit(rendered(proposable(after), actionOn(verb, selector, value)), label)
  }
  function done(): void {
    latest.current++
    elements.value = []
    candidates.value = null
    shown.value = []
  }

  const needsScripts =
    recipe.page?.render !== 'browser' &&
    table?.warnings.some(({ code }) => code === 'needs_scripts') === true
  const rows = table?.rows ?? []
  const next = nextOf(recipe)
  return (
    <div
      class="builder"
      onKeyDown={(event) => {
        if (event.key === 'Escape') done()
        else if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !isTyping(event.target)) {
          // Otherwise the browser would also undo the last typing.
          event.preventDefault()
          undo()
        }
      }}
    >
      <div class="head">
        <h1>{URL.parse(url)?.hostname ?? words.builder.title}</h1>
        <button
          type="button"
          class="quiet"
          disabled={now === null || !canUndo.value}
          onClick={undo}
        >
          {words.builder.undo}
        </button>
      </div>
      <p class="address">{url}</p>
      <div class="panes">
        <div class="left">
          {now !== null && now.pages.length > 1 && (
            <label class="short">
              <span>{words.builder.shown}</span>
              <select
                value={id ?? ''}
                onChange={({ currentTarget: { value } }) => {
                  done()
                  showPage(value)
                }}
              >
                {now.pages.map((option) => (
                  <option key={option.snapshot} value={option.snapshot}>
                    {option.label === DETAIL ? words.builder.detail : words.builder.list}{' '}
                    {URL.parse(option.url)?.pathname}
                  </option>
                ))}
              </select>
            </label>
          )}
          <p>
            {detailsOf(recipe)?.as === label
              ? words.builder.aboutDetails
              : items === undefined
                ? words.builder.aboutPage
                : words.builder.aboutItems}
          </p>
          {needsScripts && (
            <div class="notice">
              <p>{words.builder.scripts}</p>
              {me.value?.abilities.browser === true ? (
                <button
                  type="button"
                  disabled={isVisiting}
                  onClick={() => void visit(rendered(proposable(now)), label)}
                >
                  {words.builder.render}
                </button>
              ) : (
                <p>{words.builder.noBrowser}</p>
              )}
            </div>
          )}
          {(recipe.page?.render === 'browser' || actionsOf(recipe).length > 0) && (
            <Actions
              actions={actionsOf(recipe)}
              isBusy={isVisiting.value}
              onChange={(actions) => void visit(withActions(proposable(now), actions), label)}
            />
          )}
          <div role="status">{isVisiting.value && words.start.working}</div>
          {candidates.value && (
            <Pointed
              candidates={candidates.value}
              onDone={done}
              label={label}
              onDetails={() => void goOn()}
              onAction={(verb, value) => void act(verb, value)}
              onMark={(marked) => (shown.value = marked)}
              onItems={(within) => void chooseRows(within)}
            />
          )}
          <Wrong problem={pageProblem.value ?? page.problem} />
          {snapshot ? (
            <>
              {snapshot.isCut && <p>{words.builder.cut}</p>}
              <PageFrame
                snapshot={snapshot}
                marks={{ items: [], values: shown.value, pointed: elements.value }}
                onPoint={(element, inLink) => void point(element, inLink)}
              />
              {snapshot.screenshot !== null && (
                <details>
                  <summary>{words.builder.screenshot}</summary>
                  <img class="picture" src={snapshot.screenshot} alt={words.builder.screenshot} />
                </details>
              )}
            </>
          ) : id !== null || (now === null && wrong === null) ? (
            <div role="status">{wrong === null && words.start.working}</div>
          ) : (
            <div class="notice">
              {now !== null && <p>{words.builder.noPage}</p>}
              <p>{table?.pages[0]?.reason?.message}</p>
              <button
                type="button"
                disabled={isVisiting}
                onClick={() =>
                  void (now === null ? begin(url, task) : visit(proposable(now), label))
                }
              >
                {words.builder.again}
              </button>
            </div>
          )}
        </div>
        <div class="right">
          <Tabs
            tabs={TABS.map((choice) => [choice, words.builder.tabs[choice]] as const)}
            current={tab}
            label={words.builder.title}
            panel="panel"
            onTab={(choice) =>
              go(
                'build',
                { ...Object.fromEntries(screenAddress.value.query), url, tab: choice },
                true,
              )
            }
          />
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {(now === null || tab !== 'json') && (
              <Wrong problem={wrong?.again ? wrong : (wrong?.message ?? null)} />
            )}
            {now === null ? null : tab === 'json' ? (
              <JsonTab />
            ) : tab === 'columns' ? (
              <Columns preview={table} />
            ) : rows.length === 0 ? (
              <p>{words.builder.empty}</p>
            ) : (
              <Rows rows={rows} caption={words.start.rows(table?.totals.rows ?? 0)} />
            )}
          </div>
          {next !== null && (
            <p>
              {words.builder.follows} <code>{next}</code>{' '}
              <button type="button" class="quiet" onClick={() => change(withNext(recipe, null))}>
                {words.builder.unfollow}
              </button>
            </p>
          )}
          {now !== null && (
            <Finish recipe={recipe} url={url} title={snapshot && titleOf(snapshot.html)} />
          )}
        </div>
      </div>
    </div>
  )
}

const EMPTY: RecipeInput = { start: {} }

/** If the page had less content at the time of the proposal, a new proposal is made. */
function proposable(now: RecipeDraft | null): RecipeInput {
  const { recipe, isProposed } = now ?? { recipe: EMPTY }
  const isFree = isProposed === true || columnsOf(recipe).length === 0
  return isFree ? { ...recipe, extract: 'auto' } : recipe
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
}
