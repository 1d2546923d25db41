/** Replaces a line that was too long. No parser accepts it. */
export const TOO_LONG = '{"too long'

/**
 * Splits bytes into lines of UTF-8. A line with more than `most` characters is replaced by one that
 * is not JSON, so that its sender notices that it was not read.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  let isTooLong = false
  const take = (text: string): void => {
    length += text.length
    if (length > most) isTooLong = true
    if (isTooLong) parts = []
    else parts.push(text)
  }
  const line = (): string => {
    const text = isTooLong ? TOO_LONG : parts.join('')
    parts = []
    length = 0
    isTooLong = false
    return text
  }
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    take(first)
    for (const text of rest) {
      yield line()
      take(text)
    }
  }
  take(decoder.decode())
  if (length > 0) yield line()
}
