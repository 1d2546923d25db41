import {
  createD1Store,
  createDurableObjectStore,
  type D1Database,
  type ObjectNamespace,
  type ObjectState,
} from 'seine/cloudflare'
import type { Store } from 'seine'
import { CROWD_PLACES, type CrowdPlace } from '../../contracts/crowd-places.ts'
import { storeCrowd } from '../../contracts/store-crowd.ts'
import { doCrowdWork, type CrowdOrder, type CrowdReport } from '../../contracts/store-crowd-work.ts'
import { answerStore, storeBehind } from '../contracts/store-behind.ts'
import { runDescribed } from '../contracts/vitest.ts'

// The stores of Cloudflare, with several Workers that write at the same time: each has an isolate of
// its own, and all are bound to the same databases and objects.

interface Env
  extends
    Readonly<Record<CrowdPlace, D1Database>>,
    Readonly<Record<'A' | 'B' | 'C' | 'D', Service>> {
  readonly SEINE: ObjectNamespace
}

interface Service {
  fetch(request: Request): Promise<Response>
}

/** Identifies the isolate: no two have the same value, and it never changes. */
let isolate = ''

/** The object with the store, which answers requests. */
export class CrowdObject {
  readonly #store: Store

  constructor({ storage }: ObjectState) {
    this.#store = createDurableObjectStore({ storage })
  }

  fetch(request: Request): Promise<Response> {
    return answerStore(this.#store, request)
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const on = searchParams.get('on') ?? ''
    const open = (place: string): Store =>
      on === 'object'
        ? storeBehind(env.SEINE.getByName(place))
        : createD1Store({ database: databaseOf(env, place) })
    if (pathname === '/write') {
      isolate ||= crypto.randomUUID()
      const order: CrowdOrder = JSON.parse(await request.text())
      return Response.json({
        who: isolate,
        did: await doCrowdWork(open, order),
      } satisfies CrowdReport)
    }
    const writers = [env.A, env.B, env.C, env.D].map(
      (worker) =>
        async (order: CrowdOrder): Promise<CrowdReport> => {
          const response = await worker.fetch(
            new Request(`https://writer.example.com/write?on=${on}`, {
              method: 'POST',
              body: JSON.stringify(order),
            }),
          )
          return JSON.parse(await response.text())
        },
    )
    storeCrowd(on === 'object' ? 'createDurableObjectStore' : 'createD1Store', {
      open,
      writers,
      rounds: on === 'object' ? 100 : 40,
    })
    return Response.json({
      outcomes: await runDescribed(),
      facts: { crowd: `${writers.length + 1} isolates` },
    })
  },
}

function databaseOf(env: Env, place: string): D1Database {
  const name = CROWD_PLACES.find((one) => one === place)
  if (name === undefined) throw new Error(`There is no database ${place}`)
  return env[name]
}
