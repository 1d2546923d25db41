import { shortKey } from '../../kernel/short-key.ts'
import type { UrlIdentities } from '../../engine/visit/reach.ts'
import { identityOf, urlIdentity } from '../../kernel/url.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'

const PAGE = 1_000
/** URLs kept in memory to be visited next; the rest stays in the store. */
const WINDOW = 4_000
/** Identities kept in memory; beyond this the store is asked. */
const MAX_KNOWN = 200_000

/**
 * The run's view of its durable frontier: what to visit next, and which URLs it has met. Only the
 * holder of the fence writes these records, so memory is a true copy of what was committed; nothing
 * enters it before its commit.
 */
export class Frontier {
  readonly #records: Records
  readonly #account: string
  readonly #execution: string
  readonly #look: ((entries: readonly FrontierRecord[]) => Promise<void>) | null
  #window: FrontierRecord[] = []
  #at = 0
  #lastSeq = -1
  /** Whether the store holds waiting URLs that are not in the window. */
  #more = true
  readonly #known = new Set<string>()
  #knowsAll = false

  /** `look` is told of URLs before they may be visited. */
  constructor(
    records: Records,
    account: string,
    execution: string,
    look: ((entries: readonly FrontierRecord[]) => Promise<void>) | null = null,
  ) {
    this.#records = records
    this.#account = account
    this.#execution = execution
    this.#look = look
  }

  /** Waiting URLs in memory. */
  get ready(): number {
    return this.#window.length - this.#at
  }

  /** No URL waits, in memory or in the store. */
  get exhausted(): boolean {
    return this.ready === 0 && !this.#more
  }

  /** The next URL to visit, in order of discovery. */
  next(): FrontierRecord | null {
    const entry = this.#window[this.#at]
    if (!entry) return null
    this.#at++
    if (this.#at === PAGE) {
      this.#window = this.#window.slice(PAGE)
      this.#at = 0
    }
    return entry
  }

  /** Reads waiting URLs from the store where fewer than a page of them is in memory. */
  async refill(): Promise<void> {
    if (!this.#more || this.ready >= PAGE) return
    const entries = await this.#records.frontier.list(this.#account, {
      within: [this.#execution],
      after: [this.#execution, this.#lastSeq],
      limit: PAGE,
    })
    if (entries.length > 0) await this.#look?.(entries.map(({ value }) => value))
    this.#more = entries.length === PAGE
    for (const { value } of entries) {
      this.#window.push(value)
      this.#lastSeq = value.seq
    }
  }

  /** Adds URLs whose commit has succeeded. */
  async added(entries: readonly FrontierRecord[]): Promise<void> {
    if (this.#more || this.ready + entries.length > WINDOW) {
      this.#more = true
      return
    }
    if (this.#look && entries.length > 0) await this.#look(entries)
    for (const entry of entries) {
      this.#window.push(entry)
      this.#lastSeq = entry.seq
    }
  }

  /** Reads the identities of an earlier run into memory, as many as fit. */
  async remember(isNew: boolean): Promise<void> {
    this.#knowsAll = true
    if (isNew) return
    const { seenUrls } = this.#records
    for await (const seen of eachPage(seenUrls, this.#account, [this.#execution], PAGE)) {
      for (const { value } of seen) this.#known.add(value.identity)
      if (this.#known.size > MAX_KNOWN) return this.#forget()
    }
  }

  /** Which of these identities the execution has not met. */
  async unseen(identities: Iterable<string>): Promise<Set<string>> {
    const fresh = new Set<string>()
    for (const identity of identities) if (!this.#known.has(identity)) fresh.add(identity)
    if (this.#knowsAll || fresh.size === 0) return fresh
    const asked = [...fresh]
    for (let i = 0; i < asked.length; i += PAGE) {
      const slice = asked.slice(i, i + PAGE)
      const found = await this.#records.seenUrls.getMany(
        this.#account,
        slice.map((identity) => [this.#execution, identity]),
      )
      found.forEach((record) => record && fresh.delete(record.value.identity))
    }
    return fresh
  }

  /** Notes identities whose commit has succeeded. */
  met(identities: Iterable<string>): void {
    for (const identity of identities) this.#known.add(identity)
    if (this.#known.size > MAX_KNOWN) this.#forget()
  }

  #forget(): void {
    this.#known.clear()
    this.#knowsAll = false
  }
}

/** Identities that are short enough for a key. Each is worked out once. */
export function seenIdentities(): UrlIdentities {
  const known = new Map<string, string>()
  const remembering =
    <U extends string>(identify: (url: U) => string) =>
    (url: U): string => {
      const identity = known.get(url) ?? shortKey(identify(url))
      known.set(url, identity)
      return identity
    }
  return { ofLink: remembering(identityOf), ofLanding: remembering(urlIdentity) }
}
