import type { Json } from '../../../kernel/json.ts'
import { parseJson } from '../page/parse-json.ts'

/** Lines that cannot be read; after so many it is no such file. */
const MAX_BAD = 1_000

/** Reads JSON Lines (NDJSON): a document a line; lines that are none are left out. A file that is one document of many lines is that document. `undefined` where nothing can be read. */
export function readJsonLines(text: string): Json | undefined {
  const documents: Json[] = []
  let bad = 0
  for (let at = 0; at < text.length && bad < MAX_BAD; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end === -1 ? text.length : end).trim()
    at = end === -1 ? text.length : end + 1
    if (line === '') continue
    const value = parseJson(line)
    if (value === undefined) bad++
    else documents.push(value)
  }
  return bad === 0 || documents.length > bad ? documents : parseJson(text) ?? (documents.length > 0 ? documents : undefined)
}
