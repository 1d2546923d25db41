/** What a page took too much of. */
export type PageFailureKind = 'time' | 'memory'

/** A page that had to be given up as it took too much. The message is fit for callers. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure'
  readonly what: PageFailureKind

  constructor(what: PageFailureKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.what = what
  }
}
