import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../sources/sources.ts'

const KEY = 'svc_sk_distributed'

/** A process of examples/distributed. */
export interface Node {
  readonly child: ChildProcess
  /** Resolves with its first line. */
  readonly ready: Promise<string>
  readonly ended: Promise<unknown>
}

/** The processes of examples/distributed, on one database and one folder. */
export class Cluster {
  readonly #environment: Readonly<Record<string, string>>
  readonly #nodes = new Set<Node>()
  readonly errors: string[] = []
  #url = ''

  /** `environment`: the variables that the example reads. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment
  }

  async startApi(): Promise<void> {
    const line = await this.#start('api.ts').ready
    this.#url = line.replace('listening ', '')
  }

  startWorker(): Node {
    return this.#start('worker.ts')
  }

  /**
   * Calls the API.
   *
   * @throws its answer if that is not a success
   */
  async call<T>(path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const response = await fetch(
      this.#url + path,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    )
    const answer = JSON.parse(await response.text())
    if (!response.ok) throw new Error(answer.error.message)
    return answer.data
  }

  /** Ends all processes by a signal; returns the exit codes. */
  async stop(): Promise<unknown[]> {
    const nodes = [...this.#nodes]
    for (const { child } of nodes) child.kill('SIGTERM')
    return Promise.all(nodes.map(async ({ ended }) => ended))
  }

  #start(script: string): Node {
    const env = {
      ...process.env,
      ...this.#environment,
      API_KEY: KEY,
      PORT: '0',
      ALLOW_PRIVATE_NETWORK: '1',
    }
    const child = spawn(
      process.execPath,
      ['--no-warnings', join(root, 'examples/distributed', script)],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    child.stderr.on('data', (chunk: Buffer) => this.errors.push(chunk.toString()))
    const lines = createInterface(child.stdout)
    const ended = once(child, 'exit').then(([code]) => {
      this.#nodes.delete(node)
      return code
    })
    const ready = Promise.race([
      once(lines, 'line').then(([line]) => String(line)),
      ended.then(() => Promise.reject(new Error(`${script} ended: ${this.errors.join('')}`))),
    ])
    ready.catch(() => {})
    const node: Node = { child, ready, ended }
    this.#nodes.add(node)
    return node
  }
}
