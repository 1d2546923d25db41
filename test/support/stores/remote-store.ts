import type { Store } from '../../../src/ports/store.ts'
import { underWay } from '../fakes/fake-clock.ts'

/** A store behind a socket, for tests with a clock of their own: time stands still during each call. */
export function createRemoteStore(store: Store): Store {
  return {
    get: (keys) => underWay(() => store.get(keys)),
    list: (range) => underWay(() => store.list(range)),
    commit: (change) => underWay(() => store.commit(change)),
    close: () => store.close(),
  }
}
