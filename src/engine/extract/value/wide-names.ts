import type { Json, JsonObject } from '../../../kernel/json.ts'

/** The names of objects that V8 takes long to list: 60 ms for 300,000 names, all in one turn. */
const wideNames = new WeakMap<object, readonly string[]>()
/** Objects with fewer names are listed each time. */
const LEAST_NAMES = 1_000
/** A name that is a larger number is listed like a text. */
const LARGEST_INDEX = 2 ** 32 - 2

/** The names of an object as `Object.keys` lists them, without listing them again if it has many. */
export function namesOf(object: JsonObject): readonly string[] {
  return wideNames.get(object) ?? Object.keys(object)
}

/** The values of an object as `Object.values` lists them. */
export function valuesOf(object: JsonObject): readonly Json[] {
  const names = wideNames.get(object)
  // To list 300,000 values takes 200 ms, and to read them by their names 40.
  return names?.map((name) => object[name] ?? null) ?? Object.values(object)
}

/** Collects the names of an object while it is made in parts. */
export class NamesInParts {
  readonly #names: string[] = []
  readonly #indices: number[] = []

  /** Adds a name that the object does not have yet. */
  add(name: string): void {
    const index = indexIn(name)
    if (index === null) this.#names.push(name)
    else this.#indices.push(index)
  }

  /** Keeps the names for {@link namesOf}. The object must not change after that. */
  keepFor(object: object): void {
    const [names, indices] = [this.#names, this.#indices]
    if (names.length + indices.length < LEAST_NAMES) return
    // An object lists the names that are whole numbers first, and in their order.
    const sorted = Array.from(Uint32Array.from(indices).toSorted(), String)
    wideNames.set(object, sorted.length === 0 ? names : sorted.concat(names))
  }
}

/** The number that a name is, if an object lists it before other names. */
function indexIn(name: string): number | null {
  if (!/^\d{1,10}$/.test(name)) return null
  const index = Number(name)
  return index <= LARGEST_INDEX && String(index) === name ? index : null
}
