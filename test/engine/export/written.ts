/** Batches as the row reader gives them. */
export async function* batches<T>(all: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  for (const batch of all) yield batch
}

/** All chunks as one text. */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}
