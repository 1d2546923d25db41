import type { Shares } from './shares.ts'

/** For whom a stream is made, and what it shares with others. */
export interface PullStreamOptions {
  readonly account: string
  readonly shares: Shares
}

/**
 * A byte stream that makes a chunk only when its reader asks for one, in turns with the downloads
 * of other accounts. The first chunk is made before the answer, so that what fails at once can
 * still be said as an error. What fails later breaks the stream: half a file must not look whole.
 * It counts as a download until it is read to its end or cancelled.
 *
 * @throws {PlatformError} 429 where the account has as many downloads as it may
 */
export async function pullStream(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { account, shares }: PullStreamOptions,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const leave = await shares.downloads.enter(account)
  const iterator = chunks[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<Uint8Array<ArrayBuffer>>> => {
    try {
      return await shares.pieces.run(account, () => iterator.next())
    } catch (error) {
      leave()
      throw error
    }
  }
  let first: IteratorResult<Uint8Array<ArrayBuffer>> | null = await next()
  return shares.stream({
    async next() {
      const result = first ?? (await next())
      first = null
      return result.done ? null : { bytes: result.value }
    },
    leave,
    cancel: async () => void (await iterator.return?.()),
  })
}
