/** Why no answer came. */
export type FetchFailureReason = 'dns' | 'connection' | 'tls' | 'timeout' | 'protocol' | 'aborted'

/**
 * Thrown by a {@link Fetcher} whose exchange failed. The message never holds an address.
 *
 * @example
 *   throw new FetchFailure('timeout', 'The site did not answer within 30 s')
 */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly reason: FetchFailureReason

  constructor(reason: FetchFailureReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Why a model gave no answer. `declined`: it refused; `cut`: its answer ends too early; `unusable`:
 * its answer does not have the expected form.
 */
export type ModelFailureReason =
  | 'refused'
  | 'limited'
  | 'unreachable'
  | 'timeout'
  | 'declined'
  | 'cut'
  | 'unusable'

/**
 * Thrown by a `Model`. The message is shown to callers. It says what to do, and contains no key,
 * address, question or answer.
 *
 * @example
 *   throw new ModelFailure('limited', 'The model has no calls left this minute; try again later')
 */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly reason: ModelFailureReason

  constructor(
    reason: ModelFailureReason,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
  }
}

/** The resource of which a page used too much. */
export type PageFailureKind = 'time' | 'memory'

/**
 * Thrown for a page that took too much time or memory. The message may be shown to callers.
 *
 * @example
 *   throw new PageFailure('time', 'The page took more than 10 s')
 */
export class PageFailure extends Error {
  override readonly name = 'PageFailure'
  readonly what: PageFailureKind
  /** True if the thread that worked on the page died, or had to be ended. */
  readonly endedThread: boolean

  constructor(
    what: PageFailureKind,
    message: string,
    options: { readonly cause?: unknown; readonly endedThread?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.what = what
    this.endedThread = options.endedThread ?? false
  }
}

/** Why a document could not be read. */
export type DocumentFailureReason =
  | 'malformed'
  | 'encrypted'
  | 'too_slow'
  | 'too_large'
  | 'unavailable'

/**
 * Thrown by a `DocumentReader`. The message may be shown to callers.
 *
 * @example
 *   throw new DocumentFailure('pdf', 'encrypted', 'it is a PDF that needs a password')
 */
export class DocumentFailure extends Error {
  override readonly name = 'DocumentFailure'
  /** The kind of file: `pdf`, `docx`, `xlsx`. */
  readonly format: string
  readonly reason: DocumentFailureReason

  constructor(
    format: string,
    reason: DocumentFailureReason,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options)
    this.format = format
    this.reason = reason
  }
}

/** Why a browser gave no page. `action`: an action of the recipe could not be done on the page. */
type RenderFailureReason =
  | 'timeout'
  | 'crashed'
  | 'navigation'
  | 'action'
  | 'too_large'
  | 'unavailable'

/** Thrown by a {@link Browser} that could not render a page. The message may be shown to callers. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'
  readonly reason: RenderFailureReason

  constructor(reason: RenderFailureReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

/** Why a search service gave no results. */
export type SearchFailureReason = 'refused' | 'limited' | 'unreachable' | 'unusable'

/**
 * Thrown by a `SearchProvider`. The message is shown to callers: it says what to do, and holds
 * neither key nor address.
 *
 * @example
 *   throw new SearchFailure('limited', 'The search service is busy; try again later', {
 *     retryAfter: 60,
 *   })
 */
export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly reason: SearchFailureReason
  /** Seconds after which the search may be tried again, if the service says so. */
  readonly retryAfter: number | null

  constructor(
    reason: SearchFailureReason,
    message: string,
    options: { readonly retryAfter?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.retryAfter = options.retryAfter ?? null
  }
}

/**
 * Why a store does not work for now. `full`: it has no space left; `readonly`: nothing may be
 * written; `unreachable`: it does not answer, or it is busy; `replaced`: its file was replaced or
 * removed; `failing`: its disk reports errors; `damaged`: its data cannot be read.
 */
export type StoreFailureReason =
  | 'full'
  | 'readonly'
  | 'unreachable'
  | 'replaced'
  | 'failing'
  | 'damaged'

/**
 * Thrown by a `Store` that does not work for now, and by `Blobs`. Callers get 503 with
 * the message, which holds neither path nor address.
 *
 * @example
 *   throw new StoreFailure('unreachable', { cause: new Error('ECONNREFUSED') })
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly reason: StoreFailureReason

  constructor(reason: StoreFailureReason, options?: { readonly cause?: unknown }) {
    super(STORE_MESSAGES[reason], options)
    this.reason = reason
  }
}

const STORE_MESSAGES: Readonly<Record<StoreFailureReason, string>> = {
  full: 'There is no space left. Reading still works',
  readonly: 'The disk is read-only',
  unreachable: 'The store cannot be reached',
  replaced: 'The data was deleted or replaced: nothing is written until a restart',
  failing: 'The disk reports errors',
  damaged: 'Data of the store is damaged: restore a backup',
}
