import { isList, isStructure } from './json.ts'
import type { Json } from './json.ts'
import type { Pace } from './pace.ts'

/** About how many characters one piece has. */
const PIECE = 65_536
/** About how many characters of a value are counted at once. */
const WEIGHED = 500_000
/** Matches what may be written in another way: half of a character is, if the other one is missing. */
const ESCAPED = /[\u0000-\u001f"\\\ud800-\udfff]/
/** Maximum depth of a large value. Rows have far fewer levels. */
const MOST_LEVELS = 500

/**
 * Writes a value as `JSON.stringify` does, in pieces of bounded length. A row may have tens of
 * megabytes, and writing it at once would block the thread that serves.
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
  if (!isStructure(value) || jsonWeight(value, PIECE) < PIECE) return yield JSON.stringify(value)
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
  // Listing all its entries at once would be another long step.
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
    // A cut between the two halves of a character would escape each half by itself.
    const end = position + PIECE + (last >= 0xd800 && last < 0xdc00 ? 1 : 0)
    const piece = text.slice(position, end)
    // A piece that is its own JSON is not copied: rows of a megabyte would be two of garbage.
    yield ESCAPED.test(piece) ? JSON.stringify(piece).slice(1, -1) : piece
    position = end
  }
  yield '"'
}

/** About how many characters a value has as JSON. Counting stops at about `most`. */
export function jsonWeight(value: Json, most: number): number {
  if (typeof value === 'string') return value.length + 3
  if (!isStructure(value)) return 6
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

/**
 * The same in slices, because a value may contain millions of values. Returns a promise only if it
 * needs more than one slice.
 */
export function weightInSlices(
  value: Json,
  most: number,
  pace: Pace,
  level = 0,
): number | Promise<number> {
  // A value that contains itself would never end.
  if (level > MOST_LEVELS) throw new RangeError(`The value has more than ${MOST_LEVELS} levels`)
  const weight = jsonWeight(value, Math.min(most, WEIGHED))
  const rest = pace.step()
  if (weight >= WEIGHED && weight < most && isStructure(value))
    return weightOfMembers(value, most, pace, level + 1)
  return rest ? rest.then(() => weight) : weight
}

async function weightOfMembers(
  value: Parent,
  most: number,
  pace: Pace,
  level: number,
): Promise<number> {
  let weight = 2
  for (const [name, inner] of members(value)) {
    const weighing = weightInSlices(inner, most - weight, pace, level)
    weight += name + (typeof weighing === 'number' ? weighing : await weighing)
    if (weight >= most) break
  }
  return weight
}

/** A value that contains other values. */
type Parent = Exclude<Json, null | string | number | boolean>

/** Counts each name with its quotes, colon and comma, and its value. */
function* members(value: Parent): Generator<[number, Json]> {
  if (isList(value)) for (const item of value) yield [1, item]
  else for (const name in value) yield [name.length + 4, value[name] ?? null]
}
