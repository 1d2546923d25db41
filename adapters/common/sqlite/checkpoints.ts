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
/** An answer of the thread. `frames`: pages in the log, moved or not. */
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
/** Pages that are written before a checkpoint begins; SQLite's own number. */
const PAGES = 1_000
/** An entry changes the page it is in, and often one of an index. */
const PAGES_OF_ENTRY = 2
/**
 * Pages in the log from which on commits wait for a checkpoint. The log starts again only when all
 * of it has been moved, which may never be so while commits go on.
 */
const MOST_PAGES = 4_000

/**
 * Moves what was committed from the write-ahead log into the database file, in a thread: it writes
 * and syncs megabytes, and within a commit that held the event loop for 20 ms and, with a busy
 * disk, for 200. The thread starts with the first megabytes. Until then, and where it cannot start,
 * SQLite does it within a commit.
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
    // In memory, or named by a URI.
    this.#isOver = !existsSync(file.path)
  }

  /** Counts a commit that was written, and begins a checkpoint where there is enough to move. */
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

  /** Moves all of the log, while the caller writes nothing. */
  async catchUp(): Promise<void> {
    await this.#underWay()
    if (this.#isReady) {
      this.#checkpoint()
      await this.#underWay()
    }
    this.#frames = 0
  }

  /** Ends the thread. Nothing may be noted from then on. */
  async close(): Promise<void> {
    this.#isOver = true
    const thread = this.#thread
    if (thread === null) return
    // While somebody waits for its end, the thread keeps the process alive.
    thread.ref()
    await new Promise<void>((resolve) => {
      this.#ended = resolve
      this.#thread?.postMessage('end')
    })
  }

  #start(): void {
    try {
      const thread = this.#spawn()
      thread.on('message', (message) => this.#hear(message))
      // Without a listener an error of the thread would end the process. `exit` follows it.
      thread.on('error', () => {})
      thread.on('exit', () => this.#end())
      thread.unref()
      this.#thread = thread
    } catch {
      this.#end()
    }
  }

  #hear(message: FromCheckpoints): void {
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
    // A commit that waits keeps the process alive, as a write does.
    this.#thread?.ref()
    await new Promise<void>((resolve) => waiting.push(resolve))
    this.#thread?.unref()
  }

  #settle(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const resolve of waiting) resolve()
  }

  /** The thread has ended, on request or not. */
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

// Written out for bundlers, which look for this form. Sources are run as they are in development;
// built, this file is part of a chunk in `dist`, since several entries have it.
function entry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./checkpoint-thread.ts', import.meta.url)
    : new URL('./adapters/common/sqlite/checkpoint-thread.js', import.meta.url)
}
