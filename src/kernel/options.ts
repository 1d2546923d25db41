import type { PriceTable } from './price.ts'
import { isObject } from './json.ts'
import { nearest } from './names.ts'

/** The type of an option's value. */
export interface OptionType {
  /** For messages: `a text`. */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  /** True if the option has no default. */
  readonly isRequired?: boolean
  /** Types of the members of an accepted value, by name. */
  readonly members?: (value: object) => Readonly<Record<string, OptionType>>
  /** True if the value may have no members beside `members`. */
  readonly isClosed?: boolean
  /**
   * True if the type accepts constants. Only then does a message repeat a wrong text, because it is
   * no secret.
   */
  readonly isPublic?: boolean | undefined
  /**
   * All accepted texts, if the list is closed. A message then names the one that was probably
   * meant.
   */
  readonly texts?: readonly string[]
  /** The alternative types of a value. */
  readonly alternatives?: readonly OptionType[]
}

/** The types of all options. The compiler refuses a table in which one is missing. */
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

/** The options, completed by the defaults. An option that is `undefined` counts as absent here too. */
export function withDefaults<T extends object>(defaults: T, options: Partial<NoInfer<T>> = {}): T {
  const present = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(present) }
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

/** A URL that other URLs begin with. It is shown to callers, so it must not contain a password. */
export const baseAddress: OptionType = {
  expected: 'a URL without a query and credentials, such as https://data.example.com',
  accepts: (value) =>
    address.accepts(value) && /^https?:\/\/(?![^/]*@)[^?#]+$/i.test(String(value)),
}

/** A number above zero that is not infinite. */
export const positive: OptionType = {
  expected: 'a number above 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
}

/** A value that JSON has. */
export const json: OptionType = {
  expected: 'JSON: null, true, false, a number, a text, a list or an object',
  accepts: isJson,
}

/** A text that matches a pattern. `what`: its description, such as `a text of 1 to 9 letters`. */
export function textLike(what: string, isOfForm: (text: string) => boolean): OptionType {
  return { expected: what, accepts: (value) => typeof value === 'string' && isOfForm(value) }
}

/** An object whose members are not checked. `what`: its description, such as `a binding`. */
export function objectLike(what: string): OptionType {
  return { expected: `${what}, which is an object`, accepts: isObject }
}

/** A whole number from `least`, and up to `most` if there is one. */
export function whole(least: number, most = Infinity): OptionType {
  return {
    expected: `a whole number from ${least}${upTo(most)}`,
    accepts: (value) =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  }
}

/** A number, which may be infinite. It is from `least` and up to `most`, where these are set. */
export function numberFrom(least = -Infinity, most = Infinity): OptionType {
  return {
    expected: Number.isFinite(least) ? `a number from ${least}${upTo(most)}` : 'a number',
    accepts: (value) => typeof value === 'number' && value >= least && value <= most,
  }
}

function upTo(most: number): string {
  return Number.isFinite(most) ? ` to ${most}` : ''
}

/** One of a few constants. */
export function oneOf(...values: readonly (string | number | boolean | null)[]): OptionType {
  return {
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
    accepts: (value) => values.some((allowed) => allowed === value),
    isPublic: true,
    texts: values.filter((value) => typeof value === 'string'),
  }
}

/** An object with these methods, such as a port. `what`: its description, such as `a store`. */
export function withMethods(what: string, ...methods: readonly string[]): OptionType {
  // Some clients are functions. Every function has methods such as `call`, so these do not count.
  const has = (value: object, name: string): boolean => {
    const method: unknown = Reflect.get(value, name)
    return typeof method === 'function' && method !== Reflect.get(Function.prototype, name)
  }
  return {
    expected: `${what}, which has ${methods.join(', ')}`,
    accepts: (value) => isThing(value) && methods.every((name) => has(value, name)),
  }
}

/** A value of one of several types. The error is that of the type with the fewest problems. */
export function either(...types: readonly OptionType[]): OptionType {
  return {
    expected: types.map(({ expected }) => expected).join(' or '),
    accepts: (value) => types.some((type) => type.accepts(value)),
    alternatives: types,
    isPublic: types.some(({ isPublic }) => isPublic),
  }
}

/** An object of options. */
export function group<T extends object>(types: OptionTypes<T>): OptionType {
  const members: Readonly<Record<string, OptionType>> = { ...types }
  return { expected: 'an object', accepts: isObject, members: () => members, isClosed: true }
}

/** The credits that pages cost: a {@link PriceTable}. */
export function prices(): OptionType {
  const credits = whole(0)
  return group<PriceTable>({
    fetched: credits,
    rendered: credits,
    unchanged: credits,
    model: credits,
  })
}

/** A list of values of one type, `least` of them or more. */
export function listOf(type: OptionType, least = 0): OptionType {
  return {
    expected: least === 0 ? 'a list' : `a list of at least ${least}`,
    accepts: (value) => Array.isArray(value) && value.length >= least,
    members: (list) => eachAs(list, type),
  }
}

/** An object with any names, whose values are of one type. */
export function mapOf(type: OptionType): OptionType {
  return { expected: 'an object', accepts: isObject, members: (map) => eachAs(map, type) }
}

/** An option that has no default. */
export function required(type: OptionType): OptionType {
  return { ...type, isRequired: true }
}

function eachAs(value: object, type: OptionType): Readonly<Record<string, OptionType>> {
  return Object.fromEntries(Object.keys(value).map((name) => [name, type]))
}

const GUESS = '; did you mean '
const guessesIn = (problems: readonly string[]): number =>
  problems.filter((problem) => problem.includes(GUESS)).length

/** The name that was probably meant, as the end of a message; empty if no name is similar. */
function guessFor(name: string, names: readonly string[], before = ''): string {
  const near = nearest(name, names)
  return near === null ? '' : `${GUESS}${before}${near}?`
}

function problemsOf(value: unknown, type: OptionType, path: string): string[] {
  if (!type.accepts(value)) {
    const subject = path === '' ? 'the options' : path
    const guess = typeof value === 'string' ? guessFor(value, type.texts ?? []) : ''
    return [`${subject} must be ${type.expected}, not ${shown(value, type)}${guess}`]
  }
  if (type.alternatives)
    return (
      type.alternatives
        .filter((alternative) => alternative.accepts(value))
        .map((alternative) => problemsOf(value, alternative, path))
        .toSorted((a, b) => a.length - b.length || guessesIn(b) - guessesIn(a))[0] ?? []
    )
  if (!type.members || !isThing(value)) return []
  const members = type.members(value)
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  const unknown = type.isClosed
    ? Object.keys(value).filter((name) => !Object.hasOwn(members, name))
    : []
  return [
    ...unknown.map(
      (name) => `${below(name)} is not an option${guessFor(name, Object.keys(members), below(''))}`,
    ),
    ...Object.entries(members).flatMap(([name, member]) => {
      const option: unknown = Reflect.get(value, name)
      if (option !== undefined) return problemsOf(option, member, below(name))
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

function isThing(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (isObject(value)) return Object.values(value).every(isJson)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}
