import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import { loadPage } from '../../engine/visit/load-page.ts'
import type { LoadPageOptions } from '../../engine/visit/load-page.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { PagesOf } from '../../features/ledger/account-plan.ts'
import type { Json } from '../../kernel/json.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type { OpenRecipe, Page, PageShell } from '../../ports/page-processor.ts'
import { Change } from '../../records/change.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { Fence } from '../commit/fence.ts'
import { Overtaken } from '../commit/fence.ts'

/** Start pages that are tried before every page is looked at by itself. */
const MOST_TRIES = 3
const COMMIT_TRIES = 3

/** What {@link detectFirst} needs. */
export interface DetectFirstOptions extends Omit<LoadPageOptions, 'isShell'> {
  readonly records: Records
  readonly account: string
  readonly execution: string
  readonly recipe: ParsedRecipe
  readonly fence: Fence
  readonly pagesOf: PagesOf
  /** Answers instead of the web for one page. */
  readonly egressFor?: (entry: FrontierRecord) => Egress
}

/** A recipe with what was found out, and the page that it was found out on. */
export interface Detected {
  readonly recipe: Json
  /** Gives that page once more without asking its host; everything else as ever. */
  readonly egress: Egress
  /** The page, where it was fetched for this. */
  readonly url?: string
}

/**
 * Fetches the first page of a run that can be fetched, finds out what the recipe leaves to it, and
 * keeps the outcome with the execution, so that all its pages give the same columns, whatever
 * worker or thread processes them. Where that was done before, it is what was kept. `null` where no
 * page could be fetched, or only pages that nothing is extracted from.
 *
 * @throws {Overtaken} and whatever the signal throws
 */
export async function detectFirst(options: DetectFirstOptions): Promise<Detected | null> {
  const { records, account, execution: id, recipe, egress, politeness, pagesOf } = options
  const execution = await records.executions.get(account, id)
  if (!execution) throw new Overtaken()
  if (execution.value.detected !== undefined) return { recipe: execution.value.detected, egress }
  const { extract } = recipe.recipe
  const on = extract === 'auto' ? undefined : extract?.on
  if (on !== undefined && on !== 'start') return null
  const pages = (await pagesOf(account)).open(recipe.written)
  try {
    for (const { value } of await records.frontier.list(account, {
      within: [id],
      limit: MOST_TRIES,
    })) {
      politeness.started(value.url)
      const found = await completeOn(value, pages, options)
      if (found === null) continue
      await keep(options, found.recipe)
      return {
        recipe: found.recipe,
        egress: onceKept(value.url, found.response, egress),
        url: value.url,
      }
    }
    return null
  } finally {
    pages.close()
  }
}

/**
 * The recipe as this page completes it; `null` where the page cannot be fetched, or is too costly
 * to look at.
 */
async function completeOn(
  entry: FrontierRecord,
  pages: OpenRecipe,
  options: DetectFirstOptions,
): Promise<{ readonly recipe: Json; readonly response: EgressResponse } | null> {
  const { egress, egressFor, signal } = options
  const isShell = (page: Page): Promise<PageShell> => pages.isShell(page, entry, signal)
  try {
    const loaded = await loadPage(entry.url, {
      ...options,
      egress: egressFor?.(entry) ?? egress,
      isShell,
    })
    return loaded.outcome === 'fetched'
      ? { recipe: await pages.complete(loaded.page, signal), response: loaded.response }
      : null
  } catch (error) {
    if (error instanceof PageFailure) return null
    throw error
  }
}

async function keep(
  { records, account, execution: id, fence }: DetectFirstOptions,
  detected: Json,
): Promise<void> {
  for (let attempt = 1; attempt <= COMMIT_TRIES; attempt++) {
    const execution = await records.executions.get(account, id)
    if (execution?.value.status !== 'running') throw new Overtaken()
    const change = new Change()
    records.executions.update(change, account, execution, { ...execution.value, detected })
    fence.require(change)
    if (await records.commit(change)) return
  }
  throw new Overtaken()
}

function onceKept(url: string, kept: EgressResponse, egress: Egress): Egress {
  let left: EgressResponse | null = kept
  return (request) => {
    if (left === null || request.url !== url || request.purpose !== 'page') return egress(request)
    const response = left
    left = null
    return Promise.resolve(response)
  }
}
