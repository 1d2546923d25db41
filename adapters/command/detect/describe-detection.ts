import { isObject } from '../../../src/kernel/json.ts'
import type { Platform } from 'seine'

/** The result of the detection on a page. */
export type DetectedPage = Awaited<ReturnType<Platform['api']['previews']['detect']>>
/** A part of a recipe. */
export type RecipePart = Readonly<Record<string, unknown>>

const MOST_OTHERS = 3

/** The kinds of pages, in words. */
export const KINDS: Readonly<Record<DetectedPage['kind'], string>> = {
  list: 'a list',
  table: 'a table',
  article: 'an article',
  product: 'a product',
  page: 'no repeated items and no article found',
}

/**
 * Describes the detected columns in the form of flags. `page`: the page on which they were
 * detected.
 */
export function describe(
  { kind, extract }: { readonly kind: DetectedPage['kind']; readonly extract: object },
  page: string,
): string {
  return (
    `${page}: ${KINDS[kind]}; ${itemsOf(extract)}with columns ${flagsOf(extract).join(', ')}. ` +
    'Add one with --field "name=css".'
  )
}

/** Describes the other proposals for the page, so that the user need not take the first. */
export function describeOthers({ others }: DetectedPage): string[] {
  const lines = others
    .filter(({ kind }) => kind !== 'page')
    .slice(0, MOST_OTHERS)
    .map(({ kind, extract, reason }) => `  ${KINDS[kind]} (${columnsOf(extract)}): ${reason}`)
  return lines.length === 0 ? [] : [`Also on the page:\n${lines.join('\n')}`]
}

/** Explains why repeated parts of a page are not a list, if nothing else was found on it. */
export function describeRefused({ kind, needsScripts, refused }: DetectedPage): string[] {
  if (kind !== 'page' || needsScripts || refused.length === 0) return []
  const lines = refused
    .slice(0, MOST_OTHERS)
    .map(({ reason, text }) => `  ${reason} The first one: ${JSON.stringify(text)}`)
  return [
    `These repeated groups are not lists:\n${lines.join('\n')}\nIf one is, name it with --items.`,
  ]
}

/** The names of its columns. */
export function columnsOf(extract: unknown): string {
  return Object.keys(asPart(asPart(extract)['fields'])).join(', ')
}

/** Its items as a part of a sentence. Empty if there are none. */
export function itemsOf(extract: unknown): string {
  const { items } = asPart(extract)
  return typeof items === 'string' ? `items ${items} ` : ''
}

/** Columns in the form of `--field`, if it can express them: `price:number=.price`. */
function flagsOf(extract: unknown): string[] {
  return Object.entries(asPart(asPart(extract)['fields'])).map(([name, source]) => {
    if (typeof source === 'string') return `${name}=${source}`
    const { css, attr, as, ...others } = asPart(source)
    if (typeof css !== 'string' || Object.keys(others).length > 0) return name
    const isAddress = as === 'url' && (attr === 'href' || attr === 'src')
    const type = typeof as === 'string' && !isAddress ? `:${as}` : ''
    return `${name}${type}=${css}${typeof attr === 'string' ? `@${attr}` : ''}`
  })
}

/** The members of an object. Empty for any other value. */
export function asPart(value: unknown): RecipePart {
  return isObject(value) ? value : {}
}
