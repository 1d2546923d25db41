import type { KeyPart } from '../kernel/key.ts'
import type { Collection, Stored } from './collection.ts'

const PAGE = 500

/**
 * Records that are read at once where each may have a megabyte, as tasks and executions may with
 * their recipes: more of them would hold the thread for long, or take all of its memory.
 */
export const FEW = 4

/**
 * All records of a collection, or those whose ids begin with `within`, in their order and in pages;
 * none is empty.
 */
export async function* eachPage<T>(
  collection: Collection<T>,
  account: string,
  within: readonly KeyPart[] = [],
  size = PAGE,
): AsyncGenerator<readonly Stored<T>[], void, undefined> {
  for (let after: readonly KeyPart[] | null = null; ;) {
    const page: readonly Stored<T>[] = await collection.list(account, {
      within,
      limit: size,
      ...(after && { after }),
    })
    if (page.length > 0) yield page
    after = page.at(-1)?.id ?? null
    if (page.length < size) return
  }
}

/**
 * The records of a collection that have these ids, a few at a time; those that are missing are left
 * out.
 */
export async function* eachFew<T>(
  collection: Collection<T>,
  account: string,
  ids: readonly (readonly KeyPart[])[],
): AsyncGenerator<Stored<T>, void, undefined> {
  for (let at = 0; at < ids.length; at += FEW) {
    for (const record of await collection.getMany(account, ids.slice(at, at + FEW)))
      if (record) yield record
  }
}
