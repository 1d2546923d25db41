/** Why a browser gave no page. `action`: what a recipe does on the page could not be done. */
export type RenderFailureReason =
  | 'timeout'
  | 'crashed'
  | 'navigation'
  | 'action'
  | 'too_large'
  | 'unavailable'

/** Thrown by a {@link Browser} that could not render a page. The message is fit for the caller. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'
  readonly reason: RenderFailureReason

  constructor(reason: RenderFailureReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
