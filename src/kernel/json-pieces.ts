import { isList } from './json.ts'
import type { Json } from './json.ts'

/** Characters of one piece, or so. */
const PIECE = 65_536

/**
 * A value as the text that `JSON.stringify` gives, in pieces of bounded length: a row may be tens
 * of megabytes, which is too long to be written at once on a thread that serves.
 */
export function* jsonPieces(value: Json): Generator<string> {
  let text = ''
  for (const token of tokensOf(value)) {
    text += token
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* tokensOf(value: Json): Generator<string> {
  if (typeof value === 'string') return yield* textTokens(value)
  // A short value is written at once, because a generator for each of its values takes ten times as
  // long.
  if (typeof value !== 'object' || value === null || jsonWeight(value, PIECE) < PIECE)
    return yield JSON.stringify(value)
  if (isList(value)) {
    let mark = '['
    for (const item of value) {
      yield mark
      yield* tokensOf(item)
      mark = ','
    }
    return yield mark === '[' ? '[]' : ']'
  }
  let mark = '{'
  // Its entries, all at once, would be one more long step.
  for (const name in value) {
    const inner: Json | undefined = value[name]
    if (inner === undefined) continue
    yield `${mark}${JSON.stringify(name)}:`
    yield* tokensOf(inner)
    mark = ','
  }
  yield mark === '{' ? '{}' : '}'
}

function* textTokens(text: string): Generator<string> {
  if (text.length <= PIECE) return yield JSON.stringify(text)
  yield '"'
  for (let position = 0; position < text.length;) {
    const last = text.charCodeAt(position + PIECE - 1)
    // Not between the two halves of a character, which would be escaped each by itself.
    const end = position + PIECE + (last >= 0xd800 && last < 0xdc00 ? 1 : 0)
    yield JSON.stringify(text.slice(position, end)).slice(1, -1)
    position = end
  }
  yield '"'
}

/** About how many characters a value is as JSON. It is not looked at beyond `most`. */
export function jsonWeight(value: Json, most: number): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 6
  let weight = 2
  if (isList(value)) {
    for (let index = 0; index < value.length && weight < most; index++)
      weight += 1 + jsonWeight(value[index] ?? null, most - weight)
    return weight
  }
  for (const name in value) {
    weight += name.length + 4 + jsonWeight(value[name] ?? null, most - weight)
    if (weight >= most) return weight
  }
  return weight
}
