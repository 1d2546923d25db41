import { accessSync, constants, statSync } from 'node:fs'
import type { StoreFailureReason } from '../../../src/kernel/failures.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import { codeOf } from './open-database.ts'

/** Result codes of SQLite that say nothing about the statement. */
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
/** Codes of the system for what may not be written. */
const READONLY_CODES: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

/** The file of a store, as its errors and the system see it. */
export class StoreFile {
  readonly #path: string
  /** `null`: it is in memory, or named by a URI. */
  readonly #opened: string | null

  constructor(path: string) {
    this.#path = path
    this.#opened = identityOf(path)
  }

  /**
   * SQLite goes on with a file that was deleted, and all that it writes then is gone with the
   * process.
   *
   * @throws {StoreFailure} if the path no longer leads to the file that was opened
   */
  assertSame(): void {
    if (this.#opened !== null && identityOf(this.#path) !== this.#opened)
      throw new StoreFailure('replaced')
  }

  /** The error as the port says it, where it is of the place of the data and not of the statement. */
  failureOf(error: unknown): unknown {
    const code = codeOf(error)
    const reason = code === null ? null : this.#reasonOf(code)
    return reason === null ? error : new StoreFailure(reason, { cause: error })
  }

  #reasonOf(code: number): StoreFailureReason | null {
    if (code === FULL) return 'full'
    if (DAMAGED.has(code)) return 'damaged'
    // SQLite has one code for whatever the system says of a write.
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
