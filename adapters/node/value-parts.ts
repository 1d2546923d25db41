import { defineMember, isStructure } from '../../src/kernel/json.ts'

/** A part of a plain value, in the order in which it is put together. */
export type ValuePart =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'open'; readonly as: 'list' | 'object' }
  | { readonly kind: 'items'; readonly items: readonly unknown[] }
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, unknown])[] }
  /** The next value belongs to this member. */
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'close' }

/**
 * Maximum number of values in one part. Some characters count as one value. Reading a part takes a
 * millisecond or two.
 */
const MOST = 4_000
const CHARACTERS = 256

/** True if a value is small enough for one part. */
export function isSmall(value: unknown): boolean {
  return weigh(value, MOST) < MOST
}

/** A plain value in parts of bounded size. Only a single text may be larger. */
export function* partsOf(value: unknown): Generator<ValuePart> {
  if (!isStructure(value) || isSmall(value)) return yield { kind: 'value', value }
  const isList = Array.isArray(value)
  yield { kind: 'open', as: isList ? 'list' : 'object' }
  let group: [string, unknown][] = []
  let weight = 0
  const flush = function* (): Generator<ValuePart> {
    if (group.length > 0)
      yield isList
        ? { kind: 'items', items: group.map(([, item]) => item) }
        : { kind: 'members', members: group }
    group = []
    weight = 0
  }
  for (const [key, inner] of Object.entries(value)) {
    const own = weigh(inner, MOST)
    if (weight + own >= MOST) yield* flush()
    if (own < MOST) {
      group.push([key, inner])
      weight += own
      continue
    }
    if (!isList) yield { kind: 'key', key }
    yield* partsOf(inner)
  }
  yield* flush()
  yield { kind: 'close' }
}

/** Puts a value together from its parts. */
export class ValueJoiner {
  readonly #open: {
    readonly target: unknown[] | Record<string, unknown>
    readonly key: string | null
  }[] = []
  #key: string | null = null
  /** The value, once its last part was added. */
  value: unknown

  add(part: ValuePart): void {
    const { target } = this.#open.at(-1) ?? {}
    if (part.kind === 'open') {
      this.#open.push({ target: part.as === 'list' ? [] : {}, key: this.#key })
      this.#key = null
    } else if (part.kind === 'close') {
      const closed = this.#open.pop()
      this.#key = closed?.key ?? null
      this.#put(closed?.target)
    } else if (part.kind === 'key') this.#key = part.key
    else if (part.kind === 'value') this.#put(part.value)
    else if (part.kind === 'items' && Array.isArray(target))
      for (const item of part.items) target.push(item)
    else if (part.kind === 'members' && target !== undefined && !Array.isArray(target))
      for (const [key, value] of part.members) defineMember(target, key, value)
  }

  #put(value: unknown): void {
    const { target } = this.#open.at(-1) ?? {}
    if (target === undefined) this.value = value
    else if (Array.isArray(target)) target.push(value)
    else if (this.#key !== null) defineMember(target, this.#key, value)
    this.#key = null
  }
}

/** The size of a value; counting stops at `most`. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS
  if (!isStructure(value)) return 1
  let weight = 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight < most; index++)
      weight += weigh(value[index], most - weight)
    return weight
  }
  for (const key in value) {
    weight += weigh(Reflect.get(value, key), most - weight)
    if (weight >= most) return weight
  }
  return weight
}
