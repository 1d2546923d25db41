import { accessSync, constants, statSync } from 'node:fs'
import type { StoreFailureReason } from '../../../src/kernel/failures.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import { codeOf } from './open-database.ts'

/** Result codes of SQLite that do not concern the statement. */
const FULL = 13
const READONLY = 8
const DAMAGED: ReadonlySet<number> = new Set([
  11, // CORRUPT
  26, // NOTADB
])
const UNREACHABLE: ReadonlySet<number> = new Set([
  5, // BUSY
  6, // LOCKED
  14, // CANTOPEN
])
const IOERR = 10
/** Codes of the system for data that may not be written. */
const READONLY_CODES: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

/** The file of a store, as its errors and the system name it. */
export class StoreFile {
  readonly #path: string
  /** `null`: the database is in memory, or named by a URI. */
  readonly #opened: string | null

  constructor(path: string) {
    this.#path = path
    this.#opened = identityOf(path)
  }

  /**
   * SQLite continues with a deleted file, and all that it then writes is lost when the process
   * ends.
   *
   * @throws {StoreFailure} if the path no longer leads to the file that was opened
   */
  assertSame(): void {
    if (this.#opened !== null && identityOf(this.#path) !== this.#opened)
      throw new StoreFailure('replaced')
  }

  /** The error as a failure of the port, if it concerns the storage and not the statement. */
  failureOf(error: unknown): unknown {
    const code = codeOf(error)
    const reason = code === null ? null : this.#reasonOf(code)
    return reason === null ? error : new StoreFailure(reason, { cause: error })
  }

  #reasonOf(code: number): StoreFailureReason | null {
    if (code === FULL) return 'full'
    if (DAMAGED.has(code)) return 'damaged'
    // SQLite has one code for all errors of the system in a write.
    if (code === READONLY || ((code === IOERR || UNREACHABLE.has(code)) && this.#isReadonly()))
      return 'readonly'
    if (code === IOERR) return 'failing'
    return UNREACHABLE.has(code) ? 'unreachable' : null
  }

  #isReadonly(): boolean {
    try {
      if (this.#opened !== null) accessSync(this.#path, constants.W_OK)
      return false
    } catch (error) {
      return error instanceof Error && 'code' in error && READONLY_CODES.has(String(error.code))
    }
  }
}

function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}
