import { computed, effect, signal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import type { Preview, RecipeInput } from '../../../client.ts'
import { client } from '../session.ts'
import { problemOf } from '../parts/problem.ts'
import type { Problem } from '../parts/problem.ts'

/** A page that was kept to be pointed at. */
export interface KeptPage {
  readonly snapshot: string
  readonly url: string
  readonly label: string
}

/** A recipe that is being made, and the kept pages that it is made on. */
export interface RecipeDraft {
  readonly url: string
  readonly recipe: RecipeInput
  /** Id of the kept page that is shown; `null`: no page was kept yet. */
  readonly snapshot: string | null
  /** All kept pages, the start page first. */
  readonly pages: readonly KeptPage[]
  /** True: nobody has chosen anything of the recipe; the server has proposed it. */
  readonly isProposed?: boolean
}

/** The entry with the draft of this tab, so that a reload loses nothing. */
const STORED = 'seine.draft'
/** How long typing rests before the table is asked for, in ms. */
const REST_MS = 250
const MOST_UNDO = 100

/** The draft of this tab. */
export const draft = signal<RecipeDraft | null>(stored())
/** The preview of the recipe on its page. */
export const preview = signal<Preview | null>(null)
/** The error of the recipe or the page, with the paths of its issues. */
export const problem = signal<Problem | null>(null)
/** True while pages are fetched for the draft. */
export const isVisiting = signal(false)
const past = signal<readonly RecipeInput[]>([])
/** True if there is something to take back. */
export const canUndo = computed(() => past.value.length > 0)

/** Number of the last draft that was begun. The answer for an earlier one is void. */
let begun = 0
/** Number of the last question. The answer to an earlier one, or about another page, is void. */
let latest = 0

/**
 * Begins with a page: fetches and keeps it, and proposes what to take. Without an answer a recipe
 * that is there can still be edited, and its page be asked for again.
 *
 * @returns false: something else was begun before the answer came
 */
export async function begin(
  url: string,
  recipe?: RecipeInput | Promise<RecipeInput>,
): Promise<boolean> {
  const mine = ++begun
  problem.value = null
  let tried: RecipeInput | undefined
  try {
    tried = recipe instanceof Promise ? await recipe : recipe
    const answer = await client.value.previews.recipe({
      recipe: tried ?? { start: { urls: [url] }, extract: 'auto' },
      keep: true,
    })
    if (mine !== begun) return false
    take(url, answer, tried)
  } catch (error) {
    if (mine !== begun) return false
    if (recipe === undefined || tried !== undefined) take(url, null, tried)
    problem.value = problemOf(error)
  }
  return true
}

/** Makes the answer void for a draft that was begun, and is not there yet: nobody waits for it. */
export function forgo(): void {
  begun++
}

/** Takes what a preview found as the draft; `null`: there was no answer. */
export function take(url: string, answer: Preview | null, recipe?: RecipeInput): void {
  const pages = answer === null ? [] : keptOf(answer)
  begun++
  latest++
  past.value = []
  preview.value = answer
  draft.value = {
    url,
    recipe: recipe ?? answer?.proposal?.recipe ?? { start: { urls: [url] } },
    isProposed: recipe === undefined,
    snapshot: pages[0]?.snapshot ?? null,
    pages,
  }
}

/**
 * Changes the recipe so that other pages are visited, or the same ones otherwise: they are fetched
 * and kept. `label`: of the page that is shown then.
 */
export async function visit(recipe: RecipeInput, label: string): Promise<void> {
  const now = draft.value
  if (now === null || isVisiting.value) return
  problem.value = null
  isVisiting.value = true
  try {
    const answer = await client.value.previews.recipe({ recipe, keep: true })
    if (draft.value !== now) return
    latest++
    const pages = keptOf(answer)
    const proposed = answer.proposal?.recipe
    past.value = [...past.value, now.recipe].slice(-MOST_UNDO)
    preview.value = answer
    draft.value = {
      ...now,
      recipe: proposed ? { ...proposed, ...(recipe.page && { page: recipe.page }) } : recipe,
      isProposed: proposed !== undefined,
      snapshot: (pages.find((page) => page.label === label) ?? pages[0])?.snapshot ?? null,
      pages,
    }
  } catch (error) {
    problem.value = problemOf(error)
  } finally {
    isVisiting.value = false
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

/** Takes the last change back. */
export function undo(): void {
  const [before, now] = [past.value.at(-1), draft.value]
  if (before === undefined || now === null) return
  past.value = past.value.slice(0, -1)
  draft.value = { ...now, recipe: before, isProposed: false }
}

/** Asks what the recipe gives on the kept pages. Later questions make earlier ones void. */
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
  } catch (error) {
    if (mine !== latest) return
    if (error instanceof SeineError && error.status === 404) return keepAgain(before)
    problem.value = problemOf(error)
  }
}

/** Pages that are being fetched again. */
let renewed: RecipeDraft['pages'] | null = null

/** Pages are kept for an hour. They are fetched again for the recipe, which may be edited meanwhile. */
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
    // The table is asked for then, as the pages are others.
    draft.value = { ...now, pages, snapshot: (same ?? pages[0])?.snapshot ?? null }
  } catch (error) {
    const now = draft.value
    if (now?.pages !== before.pages) return
    renewed = null
    if (now.recipe === before.recipe) problem.value = problemOf(error)
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

/** Browsers keep about 5 MB: a larger recipe works, and is gone after a reload. */
function keep(now: RecipeDraft): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(now))
  } catch {
    sessionStorage.removeItem(STORED)
  }
}

/** A draft of an earlier version of this page had one page: it is fetched anew. */
function stored(): RecipeDraft | null {
  const text = sessionStorage.getItem(STORED)
  const saved: RecipeDraft | null = text === null ? null : JSON.parse(text)
  return saved?.pages === undefined ? null : saved
}
