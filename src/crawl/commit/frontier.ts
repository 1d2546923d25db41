import { shortKey } from '../../kernel/short-key.ts'
import type { UrlIdentities } from '../../engine/visit/reach.ts'
import { Pace } from '../../kernel/pace.ts'
import { identityOf, urlIdentity } from '../../kernel/url.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'

const PAGE = 1_000
/** URLs kept in memory for the next visits; the others stay in the store. */
const WINDOW = 4_000
/** Maximum number of URL identities in memory. Beyond it the store is asked. */
const MAX_KNOWN = 200_000

/**
 * The frontier of a run: the URLs to visit, and the URLs already seen. It mirrors records that only
 * the holder of the fence writes. Nothing enters it before its commit has succeeded, so it always
 * agrees with the store.
 */
export class Frontier {
  readonly #records: Records
  readonly #account: string
  readonly #execution: string
  readonly #prepare: ((entries: readonly FrontierRecord[]) => Promise<void>) | null
  #window: FrontierRecord[] = []
  #at = 0
  #lastSeq = -1
  /** True if the store has waiting URLs that are not in memory. */
  #more = true
  readonly #identities = new Set<string>()
  #knowsAll = false

  /** `prepare` gets URLs before they may be visited. */
  constructor(
    records: Records,
    account: string,
    execution: string,
    prepare: ((entries: readonly FrontierRecord[]) => Promise<void>) | null = null,
  ) {
    this.#records = records
    this.#account = account
    this.#execution = execution
    this.#prepare = prepare
  }

  /** Number of waiting URLs in memory. */
  get ready(): number {
    return this.#window.length - this.#at
  }

  /** True if no URL waits, in memory or in the store. */
  get exhausted(): boolean {
    return this.ready === 0 && !this.#more
  }

  /** Takes the next URL, in the order of discovery. */
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

  /** Reads URLs that were taken and not kept, by their numbers. */
  async read(seqs: readonly number[]): Promise<(FrontierRecord | null)[]> {
    const entries = await this.#records.frontier.getMany(
      this.#account,
      seqs.map((seq) => [this.#execution, seq]),
    )
    return entries.map((entry) => entry?.value ?? null)
  }

  /** Reads waiting URLs from the store if memory has less than one store page of them. */
  async refill(): Promise<void> {
    if (!this.#more || this.ready >= PAGE) return
    const entries = await this.#records.frontier.list(this.#account, {
      within: [this.#execution],
      after: [this.#execution, this.#lastSeq],
      limit: PAGE,
    })
    if (entries.length > 0) await this.#prepare?.(entries.map(({ value }) => value))
    this.#more = entries.length === PAGE
    for (const { value } of entries) {
      this.#window.push(value)
      this.#lastSeq = value.seq
    }
  }

  /** Adds URLs after their commit. */
  async added(entries: readonly FrontierRecord[]): Promise<void> {
    if (this.#more || this.ready + entries.length > WINDOW) {
      this.#more = true
      return
    }
    if (this.#prepare && entries.length > 0) await this.#prepare(entries)
    for (const entry of entries) {
      this.#window.push(entry)
      this.#lastSeq = entry.seq
    }
  }

  /** Loads the identities of an earlier run, as many as fit into memory. */
  async remember(isNew: boolean): Promise<void> {
    this.#knowsAll = true
    if (isNew) return
    const { seenUrls } = this.#records
    for await (const seen of eachPage(seenUrls, this.#account, [this.#execution], PAGE)) {
      for (const { value } of seen) this.#identities.add(value.identity)
      if (this.#identities.size > MAX_KNOWN) return this.#forget()
    }
  }

  /**
   * Returns those identities that the execution has not seen. It works in slices, because a commit
   * has thousands of identities, and some are computed only when they are read.
   */
  async unseen(identities: Iterable<string>, pace = new Pace()): Promise<Set<string>> {
    const fresh = new Set<string>()
    for (const identity of identities) {
      if (!this.#identities.has(identity)) fresh.add(identity)
      const rest = pace.step()
      if (rest) await rest
    }
    if (this.#knowsAll || fresh.size === 0) return fresh
    const candidates = [...fresh]
    for (let i = 0; i < candidates.length; i += PAGE) {
      const slice = candidates.slice(i, i + PAGE)
      const records = await this.#records.seenUrls.getMany(
        this.#account,
        slice.map((identity) => [this.#execution, identity]),
      )
      records.forEach((record) => record && fresh.delete(record.value.identity))
    }
    return fresh
  }

  /** Records identities after their commit. */
  met(identities: Iterable<string>): void {
    for (const identity of identities) this.#identities.add(identity)
    if (this.#identities.size > MAX_KNOWN) this.#forget()
  }

  #forget(): void {
    this.#identities.clear()
    this.#knowsAll = false
  }
}

/** Identities that are short enough for a key. Each is computed once. */
export function seenIdentities(): UrlIdentities {
  const normal = new Map<string, string>()
  const remembering =
    <U extends string>(identify: (url: U) => string) =>
    (url: U): string => {
      const identity = normal.get(url) ?? shortKey(identify(url))
      normal.set(url, identity)
      return identity
    }
  return { ofLink: remembering(identityOf), ofLanding: remembering(urlIdentity) }
}
