import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { LoadPageOptions } from '../../engine/visit/load-page.ts'
import { visitPage } from '../../engine/visit/visit-page.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { PagesOf } from '../../features/ledger/account-plan.ts'
import type { Json } from '../../kernel/json.ts'
import { Change } from '../../records/change.ts'
import { retryConflicts } from '../../records/retry.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { Fence } from '../commit/fence.ts'
import { Overtaken } from '../commit/fence.ts'

/** Maximum number of start pages to try. If all fail, each page is detected by itself. */
const MOST_TRIES = 3

/** Dependencies of {@link detectFirst}. */
export interface DetectFirstOptions extends Omit<LoadPageOptions, 'isShell'> {
  readonly records: Records
  readonly account: string
  readonly execution: string
  readonly recipe: ParsedRecipe
  readonly fence: Fence
  readonly pagesOf: PagesOf
  /** Replaces the web for one page. */
  readonly egressFor?: (entry: FrontierRecord) => Egress
}

/** A recipe completed by detection, and the page that was used. */
export interface Detected {
  readonly recipe: Json
  /** Serves that page from memory, and sends all other requests to the web. */
  readonly egress: Egress
  /** The URL of the page, if it was fetched for this. */
  readonly url?: string
}

/**
 * Detects the parts that the recipe leaves open, on the first page that can be fetched. The result
 * is stored with the execution, so all pages have the same columns in every worker and thread. A
 * later call returns the stored result. Returns `null` if no page could be fetched, or if nothing
 * is extracted from the fetched ones.
 *
 * @throws {Overtaken} and the signal's reason
 */
export async function detectFirst(options: DetectFirstOptions): Promise<Detected | null> {
  const { records, account, execution: id, recipe, egress, egressFor, politeness, signal } = options
  const execution = await records.executions.get(account, id)
  if (!execution) throw new Overtaken()
  if (execution.value.detected !== undefined) return { recipe: execution.value.detected, egress }
  const { extract } = recipe.recipe
  const on = extract === 'auto' ? undefined : extract?.on
  if (on !== undefined && on !== 'start') return null
  const pages = (await options.pagesOf(account)).open(recipe.written)
  try {
    for (const { value } of await records.frontier.list(account, {
      within: [id],
      limit: MOST_TRIES,
    })) {
      politeness.reserve(value.url)
      const visited = await visitPage(value.url, {
        ...options,
        egress: egressFor?.(value) ?? egress,
        isShell: (page) => pages.isShell(page, value, signal),
        read: (page) => pages.complete(page, signal),
      })
      if (visited.outcome !== 'fetched') continue
      const { answer: completed, response } = visited
      await keep(options, completed)
      return { recipe: completed, egress: onceKept(value.url, response, egress), url: value.url }
    }
    return null
  } finally {
    pages.close()
  }
}

async function keep(
  { records, account, execution: id, fence }: DetectFirstOptions,
  detected: Json,
): Promise<void> {
  const isKept = await retryConflicts(async () => {
    const execution = await records.executions.get(account, id)
    if (execution?.value.status !== 'running') throw new Overtaken()
    const change = new Change()
    records.executions.update(change, account, execution, { ...execution.value, detected })
    fence.require(change)
    return records.commit(change)
  })
  if (!isKept) throw new Overtaken()
}

function onceKept(url: string, firstResponse: EgressResponse, egress: Egress): Egress {
  let left: EgressResponse | null = firstResponse
  return (request) => {
    if (left === null || request.url !== url || request.purpose !== 'page') return egress(request)
    const response = left
    left = null
    return Promise.resolve(response)
  }
}
