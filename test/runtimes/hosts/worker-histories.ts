import { createDurableObjectStore } from '../../../adapters/cloudflare/object-store.ts'
import type { ObjectNamespace, ObjectState } from '../../../adapters/cloudflare/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import { answerStore } from '../contracts/store-behind.ts'

// A Worker in front of objects, each of which has a store and answers its calls.

/** The object with the store. */
export class HistoryObject {
  readonly #store: Store

  constructor({ storage }: ObjectState) {
    this.#store = createDurableObjectStore({ storage })
  }

  fetch(request: Request): Promise<Response> {
    return answerStore(this.#store, request)
  }
}

export default {
  async fetch(request: Request, env: { readonly SEINE: ObjectNamespace }): Promise<Response> {
    return env.SEINE.getByName(request.headers.get('x-place') ?? '').fetch(request)
  },
}
