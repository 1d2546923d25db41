/** Why no answer came. */
export type FetchFailureReason = 'dns' | 'connection' | 'tls' | 'timeout' | 'protocol' | 'aborted'

/** Thrown by a {@link Fetcher} whose exchange failed. The message never holds an address. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly reason: FetchFailureReason

  constructor(reason: FetchFailureReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
