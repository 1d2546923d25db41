/** The type of an option's value. */
export interface OptionType {
  /** For messages: `a text`. */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  /** True if the option has no default. */
  readonly isRequired?: boolean
  /** Types of the members of an accepted value, by name. */
  readonly members?: (value: object) => Readonly<Record<string, OptionType>>
  /** True if `members` are all that the value may have. */
  readonly isClosed?: boolean
  /**
   * True for constants. A wrong text is repeated in the message only then, because it is not a
   * secret.
   */
  readonly isPublic?: boolean | undefined
  /** The type of this value, where several are accepted. */
  readonly choose?: (value: unknown) => OptionType | undefined
}

/** One type for each option, so that none is forgotten here. */
export type OptionTypes<T extends object> = { readonly [Name in keyof T]-?: OptionType }

/**
 * Checks the options of a factory when it is called. An option that is `undefined` is absent.
 *
 * @throws {TypeError} that names every unknown and every wrong option with its path, and for an
 *   unknown one the option that was probably meant
 */
export function checkOptions<T extends object>(
  factory: string,
  options: NoInfer<T>,
  types: OptionTypes<T>,
): void {
  const problems = problemsOf(options, group<T>(types), '')
  if (problems.length > 0) throw new TypeError(`${factory}: ${problems.join('; ')}`)
}

/** A text, by default one that is not empty. */
export const nonEmpty: OptionType = {
  expected: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
}

/** A text that may be empty. */
export const plainText: OptionType = {
  expected: 'a text',
  accepts: (value) => typeof value === 'string',
}

/** `true` or `false`. */
export const flag: OptionType = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
}

/** A function. */
export const callback: OptionType = {
  expected: 'a function',
  accepts: (value) => typeof value === 'function',
}

/** A URL, or its text. */
export const address: OptionType = {
  expected: 'a URL',
  accepts: (value) => value instanceof URL || (typeof value === 'string' && URL.canParse(value)),
}

/** Any value, which the factory judges by itself. */
export const anything: OptionType = { expected: 'a value', accepts: () => true }

/** A whole number, `least` or more. */
export function whole(least: number): OptionType {
  return {
    expected: `a whole number from ${least}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least,
  }
}

/** A number, which may be infinite. With `least`, that or more. */
export function numberFrom(least = -Infinity): OptionType {
  return {
    expected: Number.isFinite(least) ? `a number from ${least}` : 'a number',
    accepts: (value) => typeof value === 'number' && value >= least,
  }
}

/** One of a few constants. */
export function oneOf(...values: readonly (string | number | boolean | null)[]): OptionType {
  return {
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
    accepts: (value) => values.some((one) => one === value),
    isPublic: true,
  }
}

/** An object with these methods, such as a port. `what`: `a store`. */
export function withMethods(what: string, ...methods: readonly string[]): OptionType {
  return {
    expected: `${what}, which has ${methods.join(', ')}`,
    accepts: (value) =>
      isThing(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'),
  }
}

/** A value of one of several types. The error describes the type with the fewest problems. */
export function either(...types: readonly OptionType[]): OptionType {
  const choose = (value: unknown) => {
    const accepting = types.filter((type) => type.accepts(value))
    const problems = (type: OptionType) => problemsOf(value, type, '').length
    return accepting.toSorted((a, b) => problems(a) - problems(b))[0]
  }
  return {
    expected: types.map(({ expected }) => expected).join(' or '),
    accepts: (value) => choose(value) !== undefined,
    choose,
    isPublic: types.some(({ isPublic }) => isPublic),
  }
}

/** An object of options. */
export function group<T extends object>(types: OptionTypes<T>): OptionType {
  const members: Readonly<Record<string, OptionType>> = { ...types }
  return { expected: 'an object', accepts: isPlain, members: () => members, isClosed: true }
}

/** A list of values of one type. */
export function listOf(type: OptionType): OptionType {
  return { expected: 'a list', accepts: Array.isArray, members: (list) => eachAs(list, type) }
}

/** An object with any names, whose values are of one type. */
export function mapOf(type: OptionType): OptionType {
  return { expected: 'an object', accepts: isPlain, members: (map) => eachAs(map, type) }
}

/** An option that has no default. */
export function required(type: OptionType): OptionType {
  return { ...type, isRequired: true }
}

function eachAs(value: object, type: OptionType): Readonly<Record<string, OptionType>> {
  return Object.fromEntries(Object.keys(value).map((name) => [name, type]))
}

function problemsOf(value: unknown, type: OptionType, path: string): string[] {
  if (!type.accepts(value)) {
    const place = path === '' ? 'the options' : path
    return [`${place} must be ${type.expected}, not ${shown(value, type)}`]
  }
  const chosen = type.choose?.(value)
  if (chosen) return problemsOf(value, chosen, path)
  if (!type.members || !isThing(value)) return []
  const members = type.members(value)
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  const unknown = type.isClosed
    ? Object.keys(value).filter((name) => !Object.hasOwn(members, name))
    : []
  return [
    ...unknown.map((name) => {
      const near = nearest(name, Object.keys(members))
      return `${below(name)} is no option${near === null ? '' : `; did you mean ${below(near)}?`}`
    }),
    ...Object.entries(members).flatMap(([name, member]) => {
      const given: unknown = Reflect.get(value, name)
      if (given !== undefined) return problemsOf(given, member, below(name))
      return member.isRequired ? [`${below(name)} is required: ${member.expected}`] : []
    }),
  ]
}

/** A value in a message. A text may be a secret, so it is shown only where constants are expected. */
function shown(value: unknown, { isPublic }: OptionType): string {
  if (typeof value === 'string')
    return isPublic && value.length <= 20 ? JSON.stringify(value) : 'another text'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'another object' : String(value)
}

/** The name that differs least, if at most two characters do. */
function nearest(name: string, names: readonly string[]): string | null {
  const near = names
    .map((known) => ({ known, edits: editsBetween(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, edits }) => edits <= 2 && edits < known.length)
    .toSorted((a, b) => a.edits - b.edits)
  return near[0]?.known ?? null
}

/** The least number of characters that are added, removed or replaced (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function isThing(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
