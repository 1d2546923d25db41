/**
 * Why a model gave no answer. `declined`: it will not; `cut`: its answer ends too early;
 * `unusable`: what came is no such answer.
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
 * Thrown by a `Model`. The message is shown to callers: it says what to do, and holds neither key
 * nor address, nor what was asked or answered.
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
