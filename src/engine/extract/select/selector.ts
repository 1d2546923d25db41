import { compile, type Options } from 'css-select'
import { parse } from 'css-what'
import type { AnyNode, Element } from 'domhandler'

/** Why a selector cannot be used; the message is fit for the caller. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

/** A parsed selector. Matching is asked of single elements; which ones to ask is {@link SelectorSet}'s affair. */
export interface Selector {
  readonly css: string
  /** `scope` is the item or page root below which fields are looked for. */
  matches(element: Element, scope: Element | null): boolean
}

const options: Options<AnyNode, Element> = { cacheResults: false }

export function parseSelector(css: string): Selector {
  let query: (node: AnyNode) => boolean
  try {
    query = compile<AnyNode, Element>(parse(css), options)
  } catch (error) {
    throw new SelectorError(`${JSON.stringify(css)} is not a CSS selector: ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
  return { css, matches: (element) => query(element) }
}
