import type { Core } from '../../features/core.ts'
import { capsOf } from '../../features/ledger/plans.ts'
import { storedBytes } from '../../features/limits/stored-bytes.ts'
import { retryFailures } from '../../records/retry.ts'

/** How old a reading may be, in ms. Other runs of the account store bytes in the meantime. */
const RENEW_MS = 10_000

export interface ByteRoomOptions extends Pick<Core, 'records' | 'planOf' | 'clock'> {
  readonly account: string
  /** Bytes that the run has stored by its commits. */
  readonly ownBytes: () => number
}

/** The time when the store was read, and the number of bytes up to which the run may store. */
interface Reading {
  readonly at: number
  /** In bytes that the run has stored itself. `Infinity`: no cap. */
  readonly until: number
}

/**
 * The bytes that a run's account may still store. Commits do not read the store: the bytes that the
 * run has stored since the last reading are added to that reading. The store is read again now and
 * then, and always before the run is told to stop, because bytes may have been deleted.
 */
export class ByteRoom {
  readonly #options: ByteRoomOptions
  #reading: Reading

  private constructor(options: ByteRoomOptions, reading: Reading) {
    this.#options = options
    this.#reading = reading
  }

  /** @throws the store's error */
  static async open(options: ByteRoomOptions): Promise<ByteRoom> {
    return new ByteRoom(options, await read(options))
  }

  /**
   * False if the account has stored its maximum of bytes, so that no further page may start.
   * `more`: bytes that wait for their commit, or are expected.
   */
  hasRoom(more = 0): boolean {
    return this.#options.ownBytes() + more < this.#reading.until
  }

  /**
   * Reads the store again if that is due. Call it between commits.
   *
   * @throws the store's error
   */
  async renew(): Promise<void> {
    if (!this.hasRoom() || this.#options.clock.now() - this.#reading.at >= RENEW_MS)
      this.#reading = await read(this.#options)
  }
}

/** The plan is read too, because it may have changed. */
async function read(options: ByteRoomOptions): Promise<Reading> {
  const { records, planOf, clock, account, ownBytes } = options
  return retryFailures(clock, async () => {
    const own = ownBytes()
    const most = capsOf(await planOf(account)).bytes
    const until = most === null ? Infinity : own + most - (await storedBytes(records, account))
    return { at: clock.now(), until }
  })
}
