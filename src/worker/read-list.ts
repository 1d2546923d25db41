import { readSitemap } from '../engine/site/sitemap.ts'
import { Change } from '../records/change.ts'
import type { StartList } from '../records/types.ts'
import type { Held } from './advance-options.ts'
import { Overtaken } from './overtaken.ts'
import type { Journal } from './journal.ts'

/** How long one list of start pages is read at most, in ms. */
export const LIST_MS = 10 * 60_000
/** How long is remembered where the reading was put down, in ms. */
const KEPT_MS = 86_400_000

/**
 * How the reading of a list ended: with its end or a limit, with its time, or as another account's
 * turn had come.
 */
export type ListEnd = 'read' | 'out_of_time' | 'gave_way'

/**
 * Reads a sitemap or a feed for an execution, from where it was put down; `add` is given its URLs.
 *
 * @throws {Overtaken} and {EgressError} where the first file cannot be read
 */
export async function readList(
  held: Held,
  journal: Journal,
  list: StartList,
  url: string,
  maxUrls: number,
  add: (urls: readonly string[]) => Promise<void>,
): Promise<ListEnd> {
  const { records, clock, account, execution, fence, egress, signal, turn } = held
  const { id } = execution.value
  const before = (await records.listReads.get(account, id, list))?.value
  const read = new Set(before?.read)
  const began = clock.now() - (before?.spentMs ?? 0)
  const enough = new AbortController()
  const ended = new AbortController()
  clock.sleep(began + LIST_MS - clock.now(), ended.signal).then(
    () => enough.abort(),
    () => {},
  )
  try {
    const onRead = async (file: string, isIndex: boolean): Promise<void> => {
      // What an index names is not known without reading it again.
      if (!isIndex) read.add(file)
      if (fence.due(clock.now())) await journal.beat()
    }
    const isOver = (): boolean => turn.over.aborted && read.size > (before?.read.length ?? 0)
    for await (const urls of readSitemap(url, {
      egress,
      signal,
      maxUrls,
      enough: enough.signal,
      isOver,
      skip: new Set(before?.read),
      onRead,
    }))
      await add(urls)
    if (enough.signal.aborted) return 'out_of_time'
    if (!isOver()) return 'read'
    const change = new Change()
    fence.guard(change, clock.now())
    records.listReads.put(
      change,
      account,
      { execution: id, list, read: [...read], spentMs: clock.now() - began },
      clock.now() + KEPT_MS,
    )
    if (!(await records.commit(change))) throw new Overtaken()
    return 'gave_way'
  } finally {
    ended.abort()
  }
}
