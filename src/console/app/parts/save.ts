import type { Download } from '../../../client.ts'

/**
 * Saves a file of the API where the browser keeps downloads. `onPart` gets each part of it, and the
 * number of bytes so far.
 */
export async function save(
  { name, contentType, body }: Download,
  onPart: (part: Uint8Array, bytes: number) => void = () => undefined,
): Promise<void> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value)
    bytes += read.value.length
    onPart(read.value, bytes)
  }
  const url = URL.createObjectURL(new Blob(chunks, { type: contentType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

const LINE_END = 0x0a
const QUOTE = 0x22
/** Number of lines before the first row, for formats with one row per line. */
const LINES_BEFORE: Readonly<Record<string, number>> = { csv: 1, json: 1, jsonl: 0 }

/**
 * Counts the rows of an exported file while its parts arrive.
 *
 * @returns takes the next part, and returns the rows so far; `null`: the format has no line a row
 */
export function rowCounter(format: string): ((part: Uint8Array) => number) | null {
  const before = LINES_BEFORE[format]
  if (before === undefined) return null
  let rows = -before
  let isQuoted = false
  return (part) => {
    for (const byte of part)
      // JSON escapes a line end in a text. In CSV it stays a line end, in quotes.
      if (byte === QUOTE && format === 'csv') isQuoted = !isQuoted
      else if (byte === LINE_END && !isQuoted) rows++
    return Math.max(rows, 0)
  }
}
