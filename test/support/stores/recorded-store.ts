import type { Store } from '../../../src/ports/store.ts'

/** A store that notes the name of each call. */
export function recordCalls(inner: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = []
  const recorded =
    <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A): R => {
      calls.push(name)
      return call(...args)
    }
  return {
    calls,
    store: {
      get: recorded('get', (keys) => inner.get(keys)),
      list: recorded('list', (range) => inner.list(range)),
      commit: recorded('commit', (change) => inner.commit(change)),
      close: () => inner.close(),
    },
  }
}
