/** Why the text of a PDF could not be read. */
export type PdfFailureReason = 'malformed' | 'encrypted' | 'too_slow' | 'too_large' | 'unavailable'

/** Thrown by a `PdfReader`. The message is fit for callers. */
export class PdfFailure extends Error {
  override readonly name = 'PdfFailure'
  readonly reason: PdfFailureReason

  constructor(reason: PdfFailureReason, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
