/**
 * A byte stream that makes a chunk only when its reader asks for one. The first chunk is made before the answer, so that
 * what fails at once can still be said as an error. What fails later breaks the stream: half a file must not look whole.
 */
export async function pullStream(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const iterator = chunks[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array<ArrayBuffer>> | null = await iterator.next()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const result = first ?? (await iterator.next())
        first = null
        if (result.done) controller.close()
        else controller.enqueue(result.value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
