import type { Client, RecipeInput } from 'seine/client'
import { equal, present } from '../cases/expect.ts'
import { LAST_PAGE, type EventSite } from './event-site.ts'

/** Numbers of the pages of a folder. */
export const PAGES: readonly number[] = Array.from({ length: LAST_PAGE + 1 }, (_, index) => index)

/** A task that visits the pages of a folder, one after the other. */
export function taskOf(
  { url }: EventSite,
  folder: string,
): { readonly name: string; readonly recipe: RecipeInput } {
  return {
    name: folder,
    recipe: {
      start: { urls: [`${url}/${folder}/0`] },
      follow: [{ next: 'a.next' }],
      crawl: { robots: false, concurrency: 1 },
      extract: { fields: { title: 'h1' } },
    },
  }
}

/** Paths of the pages of a folder. */
export function pathsOf(folder: string): string[] {
  return PAGES.map((page) => `/${folder}/${page}`)
}

/** Checks that the only execution of a task has done everything exactly once. */
export async function isWhole(
  { client, site }: { readonly client: Client; readonly site: EventSite },
  task: string,
  folder: string,
): Promise<void> {
  const { items } = await client.executions.list({ taskId: task })
  equal(
    items.map(({ status }) => status),
    ['succeeded'],
    `executions of ${folder}`,
  )
  const { id, counters, cost } = present(items[0], 'the execution')
  equal(
    [counters.fetched, counters.failed, counters.rows, cost.credits],
    [PAGES.length, 0, PAGES.length, PAGES.length],
    `counters of ${folder}`,
  )
  const receipt: string[] = []
  for await (const { url, outcome } of client.executions.iteratePages(id))
    receipt.push(`${url.replace(site.url, '')} ${outcome}`)
  equal(
    receipt.toSorted(),
    pathsOf(folder).map((path) => `${path} fetched`),
    `receipt of ${folder}`,
  )
}
