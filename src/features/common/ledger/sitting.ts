import type { Change } from '../../../records/change.ts'
import { Drafts } from '../../../records/drafts.ts'
import type { DayRecord } from '../../../records/ledger-records.ts'
import type { HealthRecord } from '../../../records/schedule-records.ts'
import { Book } from './book.ts'
import type { BookOptions } from './book.ts'

/**
 * What executions of one account that end, or want credits of the day, in one commit have in
 * common: the account's money, its days, what is usual for its tasks. Each is read once. Whoever
 * reads may wait; what is read is then changed without waiting, so that the next one sees it.
 */
export class Sitting {
  readonly account: string
  /** Unix milliseconds; of all who take part, the latest. */
  readonly now: number
  readonly days: Drafts<DayRecord>
  readonly health: Drafts<HealthRecord>
  readonly #options: BookOptions
  #opening: Promise<Book> | null = null
  #book: Book | null = null

  constructor(options: BookOptions, account: string, now: number) {
    this.#options = options
    this.account = account
    this.now = now
    this.days = new Drafts(options.records.days, account)
    this.health = new Drafts(options.records.health, account)
  }

  /** The account's money, which the commit then depends on. */
  book(): Promise<Book> {
    return (this.#opening ??= Book.open(this.#options, this.account, this.now).then(
      (book) => (this.#book = book),
    ))
  }

  /** Adds what those who took part have made of it all to a commit. */
  write(change: Change): void {
    this.#book?.write(change)
    this.days.write(change)
    this.health.write(change)
  }
}
