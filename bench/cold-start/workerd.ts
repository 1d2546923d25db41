import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Bundle } from './bundle.ts'

/** A fresh process of workerd, in ms; CPU is user and system time of all its threads. */
export interface WorkerStart {
  /** From the start of the process until it listens. */
  readonly ready: number
  /** The first request, its connection included. */
  readonly first: number
  /** The median of those that follow. */
  readonly later: number
  /** From the start of the process to the first answer. */
  readonly total: number
  /** In the same span. */
  readonly cpu: number
}

const COMPATIBILITY_DATE = '2026-07-01'
const LATER = 20

// The binary comes with the tests of runtimes, which have it apart.
const runtimes = createRequire(new URL('../../test/runtimes/package.json', import.meta.url))

/** The needs of a Worker in workerd. */
export interface WorkerNeeds {
  /** Its class of Durable Objects, bound to `SEINE` and kept on disk. */
  readonly object?: string
  /**
   * Compiles modules when they are imported, by an experiment of workerd's; else all are compiled
   * at the start.
   */
  readonly isLazy?: boolean
}

/** Writes the configuration of a Worker beside its modules. */
export async function configure(
  folder: string,
  { modules }: Bundle,
  { object, isLazy = false }: WorkerNeeds,
): Promise<void> {
  const list = modules.map((file) => `(name = "${file}", esModule = embed "${file}")`).join(', ')
  const objects = `durableObjectNamespaces = [(className = "${object}", uniqueKey = "bench", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"), bindings = [(name = "SEINE", durableObjectNamespace = "${object}")],`
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "disk", disk = (path = "${folder}", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${list}], ${object === undefined ? '' : objects}
  compatibilityDate = "${COMPATIBILITY_DATE}"${isLazy ? ', compatibilityFlags = ["new_module_registry"]' : ''}
);
`,
  )
}

/** Starts workerd on a configured folder, asks it for the list of tasks, and ends it. */
export async function startWorker(folder: string): Promise<WorkerStart> {
  const began = performance.now()
  const child = spawn(
    binary(),
    ['serve', '--experimental', join(folder, 'config.capnp'), '--control-fd=3'],
    { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] },
  )
  try {
    const control = child.stdio[3]
    if (!(control instanceof Readable) || child.pid === undefined)
      throw new Error('workerd was not started')
    const [line]: unknown[] = await Promise.race([
      once(createInterface({ input: control }), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('workerd ended'))),
    ])
    const { port }: { readonly port: number } = JSON.parse(String(line))
    const listening = performance.now()
    await ask(port)
    const answered = performance.now()
    const cpu = await cpuOf(child.pid)
    const later: number[] = []
    for (let index = 0; index < LATER; index++) {
      const sent = performance.now()
      await ask(port)
      later.push(performance.now() - sent)
    }
    return {
      ready: listening - began,
      first: answered - listening,
      later: later.toSorted((a, b) => a - b)[LATER >> 1] ?? NaN,
      total: answered - began,
      cpu,
    }
  } finally {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

function binary(): string {
  return runtimes('workerd').default
}

function ask(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/api/v1/tasks', agent: false }, (response) => {
      response
        .resume()
        .once('end', () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`workerd answered with ${response.statusCode}`)),
        )
    })
      .once('error', reject)
      .end()
  })
}

async function cpuOf(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const used = await Promise.all(
    tasks.map(async (task) =>
      Number((await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8')).split(' ')[0]),
    ),
  )
  return used.reduce((sum, one) => sum + one, 0) / 1e6
}
