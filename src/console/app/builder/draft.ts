import { computed, effect, signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import type { Preview, RecipeInput, Task } from '../../../client.ts'
import { HOUR_MS } from '../../../kernel/time.ts'
import { isThere, whenBack } from '../away.ts'
import { client } from '../session.ts'
import { TYPED } from '../tab-entries.ts'
import { answeredError, isOffline, unreadProblem } from '../parts/problem.ts'
import type { Problem } from '../parts/problem.ts'

/** A page that was kept so that users can point at it. */
export interface KeptPage {
  readonly snapshot: string
  readonly url: string
  readonly label: string
}

/** A recipe in progress, and the kept pages that it is based on. */
export interface RecipeDraft {
  readonly url: string
  readonly recipe: RecipeInput
  /** Id of the shown kept page. `null`: no page was kept yet. */
  readonly snapshot: string | null
  /** All kept pages, the start page first. */
  readonly pages: readonly KeptPage[]
  /** True if the server has proposed all of the recipe, and the user has chosen nothing. */
  readonly isProposed?: boolean
  /** Id of the task that it was saved as. Absent: it is not saved yet. */
  readonly task?: string
  /** The text of the task's recipe at that time. */
  readonly saved?: string
}

/** The entry with the draft of this tab, so that a reload loses nothing. */
const STORED = `${TYPED}draft`
/** Time without typing, in ms, after which the table is requested. */
const REST_MS = 250
const MOST_UNDO = 100

/** The draft of this tab. */
export const draft = signal<RecipeDraft | null>(stored())
/** The preview of the recipe on its page. */
export const preview = signal<Preview | null>(null)
/** The error of the recipe or the page, with the paths of its issues. */
export const problem = signal<Problem | null>(null)
/** The reason why there is no draft for the last page. */
export const failure = signal<Problem | null>(null)
/** True while pages are fetched for the draft. */
export const isVisiting = signal(false)
const past = signal<readonly RecipeInput[]>([])
/** True if there is a change to undo. */
export const canUndo = computed(() => past.value.length > 0)

/** Number of the last started draft. Answers for earlier drafts are ignored. */
let begun = 0
/** Number of the draft that is being started. 0: none. */
let opening = 0
/** Number of the last request. Answers to earlier requests, or about another page, are ignored. */
let latest = 0

/** The wait for a server that has not answered. */
let wait = new AbortController()

/** True while nothing is known about the draft's page, because the server did not answer. */
let isUnanswered = false

/** True if a page must be started: it has no draft, or a draft without any answer of the server. */
export function isToBegin(url: string, task: string | null): boolean {
  return !isDraftOf(draft.value, url, task) || (isUnanswered && !canUndo.value)
}

/** True if this is the draft of a page, and of a task if one is named. */
export function isDraftOf(now: RecipeDraft | null, url: string, task: string | null): boolean {
  return now?.url === url && (task === null || now.task === task)
}

/**
 * Starts with a page: fetches and keeps it, and proposes what to extract, or takes the recipe of a
 * task. Without an answer the recipe can still be edited, and its page requested again. If there is
 * no recipe either, the draft of the other page stays.
 */
export async function begin(url: string, task: string | null = null): Promise<void> {
  const mine = ++begun
  wait.abort()
  opening = mine
  isUnanswered = false
  failure.value = null
  let recipe: RecipeInput | undefined
  try {
    if (task !== null) recipe = (await client.value.tasks.get(task)).recipe
    if (mine !== begun) return
    const answer = await client.value.previews.recipe({
      recipe: recipe ?? { start: { urls: [url] }, extract: 'auto' },
      keep: true,
    })
    if (mine === begun) take(url, answer, recipe && { recipe, task })
  } catch (error) {
    if (mine !== begun) return
    isUnanswered = recipe === undefined && isOffline(error)
    const isTaken = recipe !== undefined || (task === null && draft.value === null)
    if (isTaken) take(url, null, recipe && { recipe, task })
    const shown = isTaken ? problem : failure
    // A recipe that was edited meanwhile is not started again.
    const again = () => (isTaken && canUndo.value ? visitAgain() : begin(url, task))
    lose(error, again, shown)
  } finally {
    if (opening === mine) opening = 0
  }
}

/**
 * Shows that a request had no answer. It is repeated when an unreachable server is back. Fetching
 * pages costs credits. So if the server can be reached, or another one has answered, the user
 * decides.
 */
function lose(
  error: unknown,
  again: () => Promise<void>,
  shown: Signal<Problem | null>,
  isFetch = true,
): void {
  wait.abort()
  wait = new AbortController()
  const left = wait.signal
  const work = () => {
    wait.abort()
    void again()
  }
  shown.value = unreadProblem(error, isFetch ? work : undefined)
  if (!isFetch && isOffline(error)) whenBack(work, left)
  else if (answeredError(error) === null)
    void isThere().then((isBack) => isBack || whenBack(work, left))
}

async function askAgain(): Promise<void> {
  if (draft.value !== null) await ask(draft.value)
}

async function visitAgain(): Promise<void> {
  if (draft.value !== null) await visit(draft.value.recipe, 'start')
}

/** Ignores the answer for a draft that was started and has not arrived, because nobody waits for it. */
export function forgo(): void {
  wait.abort()
  // An answer for a present draft is still needed, because it comes from another visit of its
  // pages.
  if (opening > 0) begun++
}

/** An existing recipe, and the task that has it. */
export interface PresentRecipe {
  readonly recipe: RecipeInput
  readonly task?: string | null
}

/** Makes the result of a preview the draft. `null`: there was no answer. */
export function take(url: string, answer: Preview | null, present?: PresentRecipe): void {
  const pages = answer === null ? [] : keptOf(answer)
  begun++
  latest++
  wait.abort()
  past.value = []
  problem.value = null
  preview.value = answer
  draft.value = {
    url,
    recipe: present?.recipe ?? answer?.proposal?.recipe ?? { start: { urls: [url] } },
    isProposed: present === undefined,
    snapshot: pages[0]?.snapshot ?? null,
    pages,
    ...(present?.task && { task: present.task, saved: JSON.stringify(present.recipe) }),
  }
}

type SavedTask = Pick<Task, 'id' | 'recipe'>

/** Stores the task that the draft of a page was saved as. False: there is another draft now. */
export function assignTask(url: string, { id, recipe }: SavedTask): boolean {
  const now = draft.value
  if (now?.url !== url || (now.task ?? id) !== id) return false
  draft.value = { ...now, task: id, saved: JSON.stringify(recipe) }
  return true
}

/** The text of the recipe that was last sent for saving. The answer may have been lost. */
let sent: string | null = null

/** Records a recipe that is sent for saving. */
export function noteSave(recipe: RecipeInput): void {
  sent = JSON.stringify(recipe)
}

/**
 * True if a task has a recipe that differs from the one with which its draft started, was saved or
 * was sent.
 */
export function isChangedElsewhere(now: RecipeDraft | null, { id, recipe }: SavedTask): boolean {
  const text = JSON.stringify(recipe)
  return now?.task === id && now.saved !== text && sent !== text
}

/** Drops the draft of a task whose recipe has changed, so that the new recipe is edited. */
export function dropOutdated(task: SavedTask): void {
  if (isChangedElsewhere(draft.value, task)) draft.value = null
}

/**
 * Changes the recipe so that other pages are visited, or the same ones in another way. The pages
 * are fetched and kept. `label`: the label of the page to show afterwards.
 */
export async function visit(recipe: RecipeInput, label: string): Promise<void> {
  const now = draft.value
  if (now === null || isVisiting.value) return
  const mine = begun
  problem.value = null
  isVisiting.value = true
  try {
    const answer = await client.value.previews.recipe({ recipe, keep: true })
    const after = draft.value
    if (mine !== begun || after === null) return
    latest++
    const pages = keptOf(answer)
    const isEdited = after.recipe !== now.recipe
    const proposed = isEdited ? undefined : answer.proposal?.recipe
    past.value = [...past.value, after.recipe].slice(-MOST_UNDO)
    preview.value = answer
    draft.value = {
      ...after,
      recipe: isEdited
        ? withChanges(after.recipe, now.recipe, recipe)
        : proposed
          ? { ...proposed, ...(recipe.page && { page: recipe.page }) }
          : recipe,
      isProposed: proposed !== undefined,
      snapshot: (pages.find((page) => page.label === label) ?? pages[0])?.snapshot ?? null,
      pages,
    }
  } catch (error) {
    if (mine === begun) problem.value = unreadProblem(error, () => void visit(recipe, label))
  } finally {
    isVisiting.value = false
  }
}

/** A recipe that was edited while other pages were visited, merged with the change for this visit. */
function withChanges(edited: RecipeInput, before: RecipeInput, visited: RecipeInput): RecipeInput {
  const { page: _page, follow: _follow, ...others } = edited
  const page = (visited.page === before.page ? edited : visited).page
  const follow = (visited.follow === before.follow ? edited : visited).follow
  const { extract } = visited
  return {
    ...others,
    ...(page && { page }),
    ...(follow && { follow }),
    ...(extract && extract !== before.extract && extract !== 'auto' && { extract }),
  }
}

/** Shows another one of the kept pages. */
export function showPage(snapshot: string): void {
  if (draft.value !== null) draft.value = { ...draft.value, snapshot }
}

function keptOf({ pages }: Preview): KeptPage[] {
  return pages.flatMap(({ snapshot, url, label }) =>
    snapshot === undefined ? [] : [{ snapshot, url, label }],
  )
}

/** Changes the recipe. */
export function change(recipe: RecipeInput): void {
  const now = draft.value
  if (now === null || JSON.stringify(now.recipe) === JSON.stringify(recipe)) return
  past.value = [...past.value, now.recipe].slice(-MOST_UNDO)
  draft.value = { ...now, recipe, isProposed: false }
}

/** Undoes the last change. */
export function undo(): void {
  const [before, now] = [past.value.at(-1), draft.value]
  if (before === undefined || now === null) return
  past.value = past.value.slice(0, -1)
  draft.value = { ...now, recipe: before, isProposed: false }
}

/**
 * Requests the results of the recipe on the kept pages. Answers to earlier requests are then
 * ignored.
 */
async function ask(before: RecipeDraft): Promise<void> {
  const { recipe, pages } = before
  const mine = ++latest
  if (pages.length === 0) return
  try {
    const answer = await client.value.previews.recipe({
      recipe,
      snapshots: pages.map(({ snapshot }) => snapshot),
    })
    if (mine !== latest) return
    preview.value = answer
    problem.value = null
    if (renewal?.pages === pages) renewal = null
  } catch (error) {
    if (mine !== latest) return
    // If recently kept pages are gone, they are not fetched again. Otherwise they would be fetched
    // and paid for endlessly.
    if (error instanceof SeineError && error.status === 404 && !isJustKept(pages))
      return keepAgain(before)
    lose(error, askAgain, problem, false)
  }
}

/** Pages that are being fetched again. */
let renewed: RecipeDraft['pages'] | null = null
/** Pages that were fetched again but gave no table yet, with the time of the fetch. */
let renewal: { readonly pages: RecipeDraft['pages']; readonly since: number } | null = null

/** A refused recipe gives no table while its pages are kept, which is an hour. */
function isJustKept(pages: RecipeDraft['pages']): boolean {
  return renewal?.pages === pages && systemClock.now() - renewal.since < HOUR_MS
}

/** If pages are gone, they are fetched again for the recipe, which may be edited meanwhile. */
async function keepAgain(before: RecipeDraft): Promise<void> {
  if (renewed === before.pages) return
  renewed = before.pages
  try {
    const answer = await client.value.previews.recipe({ recipe: before.recipe, keep: true })
    const now = draft.value
    if (now?.pages !== before.pages) return
    const pages = keptOf(answer)
    const shown = now.pages.find((page) => page.snapshot === now.snapshot)
    const same = pages.find((page) => page.url === shown?.url && page.label === shown.label)
    // Without a page there is no table, but a reason.
    if (pages.length === 0) preview.value = answer
    renewal = { pages, since: systemClock.now() }
    // The table is requested afterwards, because the pages have changed.
    draft.value = { ...now, pages, snapshot: (same ?? pages[0])?.snapshot ?? null }
  } catch (error) {
    const now = draft.value
    if (now?.pages !== before.pages) return
    renewed = null
    if (now.recipe === before.recipe) lose(error, askAgain, problem)
    else await ask(now)
  } finally {
    if (renewed === before.pages) renewed = null
  }
}

let resting = new AbortController()
let last = ''
effect(() => {
  const now = draft.value
  if (now === null) return
  keep(now)
  const question = JSON.stringify([now.recipe, now.pages])
  if (question === last) return
  last = question
  resting.abort()
  resting = new AbortController()
  systemClock.sleep(REST_MS, resting.signal).then(
    () => ask(now),
    () => undefined,
  )
})

/** Browsers keep about 5 MB. A larger recipe works, but is lost after a reload. */
function keep(now: RecipeDraft): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(now))
  } catch {
    sessionStorage.removeItem(STORED)
  }
}

/** A draft of an earlier version of the console had only one page, which is fetched again. */
function stored(): RecipeDraft | null {
  const text = sessionStorage.getItem(STORED)
  const saved: RecipeDraft | null = text === null ? null : JSON.parse(text)
  return saved?.pages === undefined ? null : saved
}
