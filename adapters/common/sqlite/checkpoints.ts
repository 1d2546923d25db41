import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { EncodedCommit } from '../../../src/kernel/store-encoding.ts'
import type { SqliteDatabase } from './database.ts'

/** The database that a checkpoint thread opens. */
export interface CheckpointFile {
  readonly path: string
  readonly durability: 'normal' | 'full'
}
/** A message to the thread. */
export type ToCheckpoints = 'checkpoint' | 'end'
/** An answer of the thread. `frames`: number of pages in the log, moved or not. */
export type FromCheckpoints = 'ready' | 'closed' | { readonly frames: number }

/** The part of `node:worker_threads`' `Worker` that is used. */
export interface CheckpointThread {
  on(event: 'message', listener: (message: FromCheckpoints) => void): unknown
  on(event: 'exit' | 'error', listener: () => void): unknown
  postMessage(message: ToCheckpoints): void
  ref(): void
  unref(): void
  terminate(): unknown
}

const PAGE_BYTES = 4_096
/** Number of pages that are written before a checkpoint begins. It is SQLite's own default. */
const PAGES = 1_000
/** An entry changes its own page, and often a page of an index. */
const PAGES_OF_ENTRY = 2
/**
 * Number of pages in the log from which on commits wait for a checkpoint. The log restarts only
 * when all of it has been moved. Under constant commits this might never happen.
 */
const MOST_PAGES = 4_000

/**
 * Moves commits from the write-ahead log into the database file, in a thread. It writes and syncs
 * megabytes; within a commit, that blocked the event loop for 20 ms and, with a busy disk, for 200.
 * The thread starts with the first megabytes. Until then, and if it cannot start, SQLite moves them
 * within a commit.
 */
export class Checkpoints {
  readonly #db: SqliteDatabase
  readonly #spawn: () => CheckpointThread
  #thread: CheckpointThread | null = null
  #isReady = false
  #isOver: boolean
  #pages = 0
  #frames = 0
  /** Callers that wait for the running checkpoint. `null`: no checkpoint is running. */
  #waiting: (() => void)[] | null = null
  #ended: (() => void) | null = null

  constructor(
    db: SqliteDatabase,
    file: CheckpointFile,
    spawn: (file: CheckpointFile) => CheckpointThread = startThread,
  ) {
    this.#db = db
    this.#spawn = () => spawn({ ...file, path: absolute(file.path) })
    // True for a database in memory, or one that is named by a URI.
    this.#isOver = !existsSync(file.path)
  }

  /** Counts a written commit, and begins a checkpoint if there is enough to move. */
  note({ sets, deletes, adds }: EncodedCommit): void {
    if (this.#isOver) return
    this.#pages += (sets.length + deletes.length + adds.length) * PAGES_OF_ENTRY
    for (const { text } of sets) this.#pages += Math.floor(text.length / PAGE_BYTES)
    if (this.#pages < PAGES || this.#waiting !== null) return
    if (this.#isReady) this.#checkpoint()
    else if (this.#thread === null) this.#start()
  }

  /** True if the log is so long that the next commit should wait for {@link catchUp}. */
  get isBehind(): boolean {
    return this.#frames >= MOST_PAGES || (this.#isReady && this.#pages >= MOST_PAGES)
  }

  /** Moves all of the log. The caller must not write meanwhile. */
  async catchUp(): Promise<void> {
    await this.#underWay()
    if (this.#isReady) {
      this.#checkpoint()
      await this.#underWay()
    }
    this.#frames = 0
  }

  /** Ends the thread. Call no `note` after that. */
  async close(): Promise<void> {
    this.#isOver = true
    const thread = this.#thread
    if (thread === null) return
    // While a caller waits for its end, the thread keeps the process alive.
    thread.ref()
    await new Promise<void>((resolve) => {
      this.#ended = resolve
      this.#thread?.postMessage('end')
    })
  }

  #start(): void {
    try {
      const thread = this.#spawn()
      thread.on('message', (message) => this.#receive(message))
      // Without a listener an error of the thread would end the process. The event `exit` follows
      // it.
      thread.on('error', () => {})
      thread.on('exit', () => this.#end())
      thread.unref()
      this.#thread = thread
    } catch {
      this.#end()
    }
  }

  #receive(message: FromCheckpoints): void {
    if (message === 'closed') {
      this.#thread?.terminate()
      return this.#end()
    }
    if (message !== 'ready') {
      this.#frames = message.frames
      return this.#settle()
    }
    if (this.#isOver) return
    this.#isReady = true
    this.#db.exec('PRAGMA wal_autocheckpoint = 0')
  }

  #checkpoint(): void {
    this.#pages = 0
    this.#waiting = []
    this.#thread?.postMessage('checkpoint')
  }

  async #underWay(): Promise<void> {
    const waiting = this.#waiting
    if (waiting === null) return
    // A waiting commit keeps the process alive, as a write does.
    this.#thread?.ref()
    await new Promise<void>((resolve) => waiting.push(resolve))
    this.#thread?.unref()
  }

  #settle(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const resolve of waiting) resolve()
  }

  /** Called when the thread has ended, on request or not. */
  #end(): void {
    this.#thread = null
    this.#frames = 0
    if (this.#isReady && !this.#isOver) this.#db.exec(`PRAGMA wal_autocheckpoint = ${PAGES}`)
    this.#isReady = false
    this.#isOver = true
    this.#settle()
    this.#ended?.()
  }
}

function startThread(file: CheckpointFile): CheckpointThread {
  return new Worker(entry(), {
    workerData: file,
    execArgv: [],
    name: 'seine-checkpoints',
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  })
}

// The expression is in the form that bundlers look for. In development sources run directly. In a
// build this file is part of a chunk in `dist`, because several entries use it.
function entry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./checkpoint-thread.ts', import.meta.url)
    : new URL('./adapters/common/sqlite/checkpoint-thread.js', import.meta.url)
}
