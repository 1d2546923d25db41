import { isList, isStructure } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'

/** A placeholder of a parameter: `{{city}}`. */
export const BLANK = /\{\{ ?(\w{1,64}) ?\}\}/g

/** A kind of text that values may fill. */
export interface TextKind {
  /** Returns the value as a part of the text. `before`: the text before it. */
  readonly encode: (value: string, before: string, text: string) => string
  /** Returns why a parameter of this type cannot be at this position, or `null`. */
  readonly problem: (type: string, text: string, position: number) => string | null
  /** Returns why values have changed the meaning of a text, or `null`. */
  readonly spoiled?: (text: string) => string | null
}

/** Kinds of text by the names of members. `*`: any other member. */
interface TextKinds {
  readonly [name: string]: TextKind | TextKinds | undefined
}

/** A part of a URL's path that is `.` or `..`. */
const DOTS = /^[^?#]*[/\\]\.\.?(?:[/\\?#]|\s*$)/

/** A text that does not control the recipe. */
const TEXT: TextKind = { encode: (value) => value, problem: () => null }

/** A URL. A value is a part of its path, query or fragment, or a parameter `url` is all of it. */
const URL_TEXT: TextKind = {
  encode: (value, _, text) =>
    wholeBlank(text) === null ? encodeURIComponent(value) : wholeUrl(value),
  problem(type, text, position) {
    if (wholeBlank(text) !== null)
      return type === 'url' ? null : 'is a whole URL: its type must be url'
    const before = text.slice(0, position).replaceAll(/\{[^{}/?#\\]*\}/g, 'x')
    if (!/^\s*https?:\/\/[^/?#\\{}]+[/?#]/i.test(before))
      return (
        'cannot be in the scheme, host or port of a URL: use a parameter of the type url that is ' +
        'the whole URL'
      )
    return /\{[^{}]*$/.test(before) && type !== 'integer'
      ? 'is inside { }, where only a parameter of the type integer is allowed'
      : null
  },
  spoiled: (text) =>
    DOTS.test(text) ? 'must not make . or .. of a part of the path: that is another folder' : null,
}

/** A pattern of URLs: `*` in a value stands for itself. */
const GLOB: TextKind = {
  encode: (value, before) =>
    (before.trim() === '' && /^https?:\/\//i.test(value)
      ? value
      : encodeURIComponent(value)
    ).replaceAll('*', '%2A'),
  problem: () => null,
}

const STEP: TextKinds = { prefix: TEXT, suffix: TEXT, default: TEXT }
const SOURCE: TextKinds = {
  const: TEXT,
  model: TEXT,
  transform: { '*': STEP },
  get fields() {
    return FIELDS
  },
  // A list of sources.
  get '*'() {
    return SOURCE
  },
}
const FIELDS: TextKinds = { '*': SOURCE }

const FILLED: TextKinds = {
  start: { urls: URL_TEXT, sitemap: URL_TEXT, feed: URL_TEXT, search: TEXT },
  crawl: { include: GLOB, exclude: GLOB },
  page: { headers: TEXT, actions: { '*': { value: TEXT } } },
  follow: { '*': { carry: FIELDS } },
  extract: { fields: FIELDS },
}

/** Changes each text of a recipe. Names stay as they are. `kind`: whether and how a value fills it. */
export function fillTexts(
  recipe: Json,
  change: (text: string, kind: TextKind | null, path: string) => string,
): Json {
  const walk = (value: Json, kinds: TextKind | TextKinds | undefined, path: string): Json => {
    const inner = (name: string): TextKind | TextKinds | undefined =>
      kinds === undefined || isKind(kinds)
        ? kinds
        : Object.hasOwn(kinds, name)
          ? kinds[name]
          : kinds['*']
    const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
    if (typeof value === 'string')
      return change(value, kinds !== undefined && isKind(kinds) ? kinds : null, path)
    if (!isStructure(value)) return value
    if (isList(value))
      return value.map((item, index) => walk(item, inner(String(index)), below(String(index))))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, walk(member, inner(name), below(name))]),
    )
  }
  return walk(recipe, FILLED, '')
}

/** The names of the blanks in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(BLANK)].map(([, name = '']) => name)
}

/** The parameter that is all of a text, or `null`. */
export function wholeBlank(text: string): string | null {
  return /^\s*\{\{ ?(\w{1,64}) ?\}\}\s*$/.exec(text)?.[1] ?? null
}

function isKind(kinds: TextKind | TextKinds): kinds is TextKind {
  return typeof kinds['encode'] === 'function'
}

/** Braces in a given URL are plain characters. */
function wholeUrl(value: string): string {
  return value.replaceAll('{', '%7B').replaceAll('}', '%7D')
}
