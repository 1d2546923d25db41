import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { CROWD_PLACES } from '../contracts/crowd-places.ts'
import { bundleWorker } from './bundle-worker.ts'
import type { Sites } from './cases/create-stage.ts'

/** Before `nodejs_compat` is what a Worker has by default: the platform needs none of it. */
export const COMPATIBILITY_DATE = '2026-07-01'

/** A database for each of the tests of `storeCrowd`: the binding is the place. */
const PLACES = Object.fromEntries(CROWD_PLACES.map((place) => [place, place]))

/** Hosts that run in workerd → their bindings. */
const BINDINGS = {
  'worker-object': {
    durableObjects: { SEINE: { className: 'PlatformObject', useSQLite: true } },
    r2Buckets: ['BLOBS'],
  },
  'worker-contracts': {
    durableObjects: { SEINE: { className: 'PlatformObject', useSQLite: true } },
    d1Databases: ['DB'],
    r2Buckets: ['BLOBS'],
  },
  'worker-limits': {
    durableObjects: { LIMITS: { className: 'Limits', useSQLite: true } },
    serviceBindings: { A: 'a', B: 'b', C: 'c' },
  },
  'worker-events': { serviceBindings: { SELF: 'suite' } },
  'worker-d1': {
    d1Databases: ['DB'],
    r2Buckets: ['BLOBS'],
    durableObjects: { LIMITS: { className: 'LimiterObject', useSQLite: true } },
    serviceBindings: { SELF: 'suite' },
  },
  'worker-crowd': {
    durableObjects: { SEINE: { className: 'CrowdObject', useSQLite: true } },
    d1Databases: PLACES,
    serviceBindings: { A: 'a', B: 'b', C: 'c', D: 'd' },
  },
} as const satisfies Record<string, Partial<WorkerOptions>>

/** Further Workers of the same code, which have the objects and the databases of the first. */
const OTHERS: Readonly<
  Partial<
    Record<
      keyof typeof BINDINGS,
      { readonly names: readonly string[]; readonly bindings: Partial<WorkerOptions> }
    >
  >
> = {
  'worker-limits': {
    names: ['a', 'b', 'c'],
    bindings: {
      durableObjects: { LIMITS: { className: 'Limits', scriptName: 'suite', useSQLite: true } },
    },
  },
  'worker-crowd': {
    names: ['a', 'b', 'c', 'd'],
    bindings: {
      durableObjects: { SEINE: { className: 'CrowdObject', scriptName: 'suite', useSQLite: true } },
      d1Databases: PLACES,
    },
  },
}

/** A host that runs in workerd. */
export type WorkerHost = keyof typeof BINDINGS

/** Starts a host in workerd, requests `path` and returns its message. */
export async function runWorker<T>(
  host: WorkerHost,
  path: string,
  folder: string,
  { shop, slow, fair }: Sites,
): Promise<{ readonly told: T; readonly stderr: string }> {
  const { code } = await bundleWorker(join(import.meta.dirname, 'hosts', `${host}.ts`), folder)
  let stderr = ''
  // Passed as a list, so that workerd's tools do not search the code for further modules.
  const worker: WorkerOptions = {
    modules: [{ type: 'ESModule', path: 'worker.js', contents: code }],
    compatibilityDate: COMPATIBILITY_DATE,
  }
  const { names = [], bindings = {} } = OTHERS[host] ?? {}
  const others = names.map((name) => ({ ...worker, ...bindings, name }))
  const miniflare = new Miniflare({
    workers: [{ ...worker, name: 'suite', ...BINDINGS[host] }, ...others],
    handleRuntimeStdio(_stdout: Readable, errors: Readable) {
      errors.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    },
  })
  try {
    const response = await miniflare.dispatchFetch(`http://suite.example.com${path}`, {
      method: 'POST',
      body: JSON.stringify({ shop, slow, fair }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${text.slice(0, 2_000)}\n${stderr.slice(-4_000)}`)
    const result: T = JSON.parse(text)
    return { told: result, stderr }
  } finally {
    await miniflare.dispose()
  }
}
