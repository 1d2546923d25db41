import { setImmediate } from 'node:timers'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import {
  accountOf,
  CommitTurns,
  type WaitingCommit,
} from '../../../src/kernel/fair/commit-turns.ts'
import type { EncodedCommit } from '../../../src/kernel/store-encoding.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { applyCommit } from './apply-commit.ts'
import { isBusy } from './open-database.ts'
import type { StoreFile } from './failures.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { SqliteDatabase } from './database.ts'
import type { ReadTurn } from './read-turn.ts'
import type { SqliteStatements } from './statements.ts'

/** Maximum number of expired entries deleted with a group. */
const SWEEP = 100
const SWEEP_EVERY_MS = 1_000
/** How long commits wait for another process that holds the database. */
const GIVE_UP_MS = 30_000
const PAUSE_MS = 10
/**
 * Number of versions that are reserved at once. Versions left at the end of the process are never
 * used.
 */
const VERSIONS = 10_000
/**
 * Maximum number of entries that are written in one turn of the event loop, which takes some
 * milliseconds. A larger commit has its own turn.
 */
const MOST_WRITES = 1_000

interface Waiting extends WaitingCommit {
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes the commits of one tick in one transaction, in order, so that each sees the earlier ones.
 * Commits without checks wait for others of the same turn of the event loop. A refused commit
 * leaves no trace, so the transaction needs no savepoints. A caller that waits for a commit
 * continues in the same turn, perhaps with the next commit. So the number of entries in a turn is
 * limited, and the rest waits. Then accounts take turns.
 */
export class CommitGroup {
  readonly #db: SqliteDatabase
  readonly #statements: SqliteStatements
  readonly #reads: ReadTurn
  readonly #checkpoints: Checkpoints
  readonly #clock: Pick<Clock, 'now'>
  readonly #file: StoreFile
  readonly #turns = new CommitTurns()
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null
  #isDue = false
  #version = 0
  #lastVersion = 0
  #sweptAt = Number.NEGATIVE_INFINITY
  /** Entries that were written in this turn of the event loop. */
  #written = 0

  constructor(
    db: SqliteDatabase,
    statements: SqliteStatements,
    reads: ReadTurn,
    checkpoints: Checkpoints,
    clock: Pick<Clock, 'now'>,
    file: StoreFile,
  ) {
    this.#file = file
    this.#db = db
    this.#statements = statements
    this.#reads = reads
    this.#checkpoints = checkpoints
    this.#clock = clock
  }

  add(commit: EncodedCommit): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, account: accountOf(commit), resolve, reject })
      if (commit.checks.length > 0) this.#start()
      else this.#startLater()
    })
  }

  /** Resolves when every commit so far has its answer. */
  async idle(): Promise<void> {
    if (this.#waiting.length > 0) this.#start()
    await this.#running
  }

  #start(): void {
    this.#running ??= this.#run()
  }

  /**
   * Starts when the event loop has read what its connections have for it. A transaction costs more
   * than most commits write, and each request comes in its own callback. Commits without checks can
   * wait, because no other commit waits for them and they cannot be refused.
   */
  #startLater(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      if (this.#waiting.length > 0) this.#start()
    })
  }

  async #run(): Promise<void> {
    // One microtask later, so that commits of the same tick are included.
    await Promise.resolve()
    let since = performance.now()
    while (this.#waiting.length > 0) {
      if (this.#written >= MOST_WRITES) {
        await turn()
        since = performance.now()
      }
      if (this.#checkpoints.isBehind) {
        // A snapshot would keep the log from restarting.
        this.#reads.leave()
        await this.#checkpoints.catchUp()
        since = performance.now()
      }
      // Waiting is allowed only here, because nothing has been written. Nothing waits between the
      // start of a transaction and its end.
      const refused = this.#begin()
      if (isBusy(refused) && performance.now() - since < GIVE_UP_MS) {
        await pause(PAUSE_MS)
        continue
      }
      const group = this.#take()
      const failure = refused === null ? this.#write(group) : this.#file.failureOf(refused)
      if (failure !== null) {
        // Some callers try again at once if the store fails, so other work must get a turn.
        if (failure instanceof StoreFailure) await pause(PAUSE_MS)
        for (const { reject } of group) reject(failure)
      }
      since = performance.now()
    }
    this.#running = null
  }

  /** The commits of the next transaction: as many as fit, and at least one. */
  #take(): Waiting[] {
    let left = MOST_WRITES - this.#written
    let group = this.#waiting
    if (group.length > 1 && group.some(({ commit }) => (left -= entriesOf(commit)) < 0)) {
      left = MOST_WRITES - this.#written
      let isFirst = true
      const next = this.#turns.take(group, (commit) => {
        const isTaken = isFirst || entriesOf(commit) <= left
        isFirst = false
        if (isTaken) left -= entriesOf(commit)
        return isTaken
      })
      group = group.filter((waiting) => next.has(waiting))
      this.#waiting = this.#waiting.filter((waiting) => !next.has(waiting))
    } else this.#waiting = []
    if (this.#written === 0) setImmediate(() => (this.#written = 0))
    for (const { commit } of group) this.#written += entriesOf(commit)
    return group
  }

  /** Starts a transaction, or returns why it cannot start. */
  #begin(): unknown {
    this.#reads.leave()
    try {
      this.#file.assertSame()
      this.#statements.begin()
      return null
    } catch (error) {
      return error ?? new Error('The transaction did not start')
    }
  }

  /** Writes a group, or returns why it was not written. */
  #write(group: readonly Waiting[]): unknown {
    const answers: (() => void)[] = []
    try {
      const now = this.#clock.now()
      for (const { commit, resolve, reject } of group) {
        const outcome = applyCommit(this.#statements, commit, now, this.#nextVersion)
        answers.push(outcome instanceof TypeError ? () => reject(outcome) : () => resolve(outcome))
      }
      this.#sweep(now)
      this.#statements.commit()
      this.#reads.noteWritten()
      for (const { commit } of group) this.#checkpoints.note(commit)
    } catch (error) {
      this.#rollback()
      return this.#file.failureOf(error)
    }
    for (const answer of answers) answer()
    return null
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    // A full batch means that more entries have expired, so the next group continues.
    if (this.#statements.expire(now, SWEEP) < SWEEP) this.#sweptAt = now
  }

  /**
   * The next version from this process's own block. So most commits write one row less, and no two
   * processes use the same version.
   */
  readonly #nextVersion = (): number => {
    if (this.#version === this.#lastVersion) {
      this.#lastVersion = this.#statements.reserveVersions(VERSIONS)
      this.#version = this.#lastVersion - VERSIONS
    }
    return ++this.#version
  }

  #rollback(): void {
    // The block may have been reserved in the transaction that is rolled back.
    this.#version = this.#lastVersion
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // Some errors, such as a full disk, have already ended the transaction. The first error is
      // the one to report.
    }
  }
}

/** At least one, because a commit that only checks takes time too. */
function entriesOf({ sets, deletes, adds }: EncodedCommit): number {
  return 1 + sets.length + deletes.length + adds.length
}
