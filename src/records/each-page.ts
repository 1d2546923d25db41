import type { KeyPart } from '../kernel/key.ts'
import type { Collection, Stored } from './collection.ts'

const PAGE = 500

/** All records of a collection, or those whose ids begin with `within`, in their order and in pages; none is empty. */
export async function* eachPage<T>(collection: Collection<T>, account: string, within: readonly KeyPart[] = []): AsyncGenerator<readonly Stored<T>[], void, undefined> {
  for (let after: readonly KeyPart[] | null = null; ; ) {
    const page: readonly Stored<T>[] = await collection.list(account, { within, limit: PAGE, ...(after && { after }) })
    if (page.length > 0) yield page
    after = page.at(-1)?.id ?? null
    if (page.length < PAGE) return
  }
}
