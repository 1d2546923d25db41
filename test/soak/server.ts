import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/sources/sources.ts'
import { isTurn, type Turn } from './loop-turns.ts'

/** The options of the start of a server. */
export interface ServerOptions {
  /** The script and its arguments: the built command, or a host file of the soak. */
  readonly args: readonly string[]
  /** Of the main thread's heap, in MB. */
  readonly heapMb: number
  /** The folder that gets CPU profiles when it ends; `null`: none are written. */
  readonly profiles: string | null
  /** A script that is loaded into its process as well, and what takes the messages of that. */
  readonly watch?: { readonly script: string; readonly message: (message: unknown) => void }
  /** Called at every unexpected end of the process. */
  readonly onCrash: (what: string) => void
}

const PAGE_BYTES = 4_096
const SAMPLE_MS = 100
/** A server that cannot stay up for so long, so many times in a row, does not come back on its data. */
const STAYS_UP_MS = 20_000
const MOST_RESTARTS = 3
const KEPT_ERRORS = 4_000

/**
 * The arguments of the built command. The rate limits are off, as the honest tenant alone makes
 * more calls a minute.
 */
export function commandArgs(
  data: string,
  port: number,
  more: readonly string[] = [],
): readonly string[] {
  return [
    join(root, 'dist/command/main.js'),
    'serve',
    '--data',
    data,
    '--port',
    String(port),
    '--allow-private-network',
    '--no-rate-limit',
    ...more,
  ]
}

/** A server under attack: it is watched, started again when it dies, and its memory is measured. */
export class Server {
  readonly #options: ServerOptions
  #child: ChildProcess | null = null
  #isWanted = false
  #startedAt = 0
  #quickEnds = 0
  #errors = ''
  #peakRss = 0
  #turns: Turn[] = []
  readonly #sampler: NodeJS.Timeout

  constructor(options: ServerOptions) {
    this.#options = options
    this.#sampler = setInterval(() => this.#measure(), SAMPLE_MS)
  }

  /**
   * Resolves when it listens.
   *
   * @throws {Error} if it ends before
   */
  async start(): Promise<void> {
    this.#isWanted = true
    const { args, heapMb, profiles, watch, onCrash } = this.#options
    const watched = [
      '--import',
      join(import.meta.dirname, 'loop-watch.ts'),
      ...(watch ? ['--import', watch.script] : []),
      ...(profiles === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles]),
    ]
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, ...watched, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    child.on('message', (message) => {
      if (isTurn(message)) this.#turns.push(message)
      else watch?.message(message)
    })
    this.#startedAt = Date.now()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-KEPT_ERRORS)
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('listening http://')) resolve()
    })
    child.once('exit', (code, signal) => {
      this.#child = null
      reject(new Error(`The server ended before it listened: ${this.lastErrors()}`))
      if (!this.#isWanted) return
      const lived = Date.now() - this.#startedAt
      this.#quickEnds = lived < STAYS_UP_MS ? this.#quickEnds + 1 : 1
      onCrash(
        `ended with ${signal ?? code} after ${(lived / 1_000).toFixed(1)} s` +
          (/heap out of memory/i.test(this.#errors) ? ', heap out of memory' : ''),
      )
      if (this.isLost) return
      this.start().catch(() => undefined)
    })
    await promise
  }

  /** Its process; `undefined` while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** It has died so often, so soon after its starts, that it is not started again. */
  get isLost(): boolean {
    return this.#quickEnds > MOST_RESTARTS
  }

  /** The largest resident memory since the last call, in MB. */
  takePeakRss(): number {
    this.#measure()
    const peak = this.#peakRss
    this.#peakRss = 0
    return peak
  }

  /** The long turns of its event loop since the last call. */
  takeTurns(): readonly Turn[] {
    return this.#turns.splice(0)
  }

  /** The end of its stderr. */
  lastErrors(): string {
    return this.#errors.trim().split('\n').slice(-12).join('\n')
  }

  /** Ends it in order, or by force after some seconds. */
  async stop(): Promise<void> {
    this.#isWanted = false
    const child = this.#child
    if (child === null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(force)
  }

  /** Ends the watch as well. */
  async close(): Promise<void> {
    await this.stop()
    clearInterval(this.#sampler)
  }

  #measure(): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
      this.#peakRss = Math.max(this.#peakRss, (Number(resident) * PAGE_BYTES) / 1_048_576)
    } catch {
      // It has ended since.
    }
  }
}

/** Checks data that no server has open: the differences, or `null` if there are none. */
export async function verifyData(where: readonly string[]): Promise<string | null> {
  const child = spawn(process.execPath, [join(root, 'dist/command/main.js'), 'verify', ...where], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  await once(child, 'close')
  return child.exitCode === 0 ? null : `seine verify ended with ${child.exitCode}:\n${text}`
}
