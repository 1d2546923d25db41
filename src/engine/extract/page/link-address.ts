import type { Element } from 'domhandler'

/**
 * Attributes of buttons that load more of a list, with its address. Scripts read them. No standard
 * names them, but htmx has `hx-get`.
 */
const OF_SCRIPTS = [
  'data-href',
  'data-url',
  'data-next',
  'data-next-url',
  'data-next-page-url',
  'data-load-more-url',
  'hx-get',
  'data-hx-get',
] as const
/** An address or a path. Such attributes hold names and numbers too. */
const ADDRESS = /^(?:https?:\/\/|\/|\?|\.\/)/i

/** Returns the address of a link, as it is written: its `href`. */
export function hrefIn({ attribs }: Element): string | null {
  return Object.hasOwn(attribs, 'href') ? (attribs['href'] ?? null) : null
}

/** Returns the address that scripts load when somebody clicks on an element. */
export function scriptAddressIn({ attribs }: Element): string | null {
  for (const name of OF_SCRIPTS) {
    const value = attribs[name]
    if (value !== undefined && ADDRESS.test(value)) return value
  }
  return null
}

/**
 * Returns the address of a link. If it has none, or leads nowhere (`#`), returns the address that
 * scripts load. An address of `javascript:` is returned as it is: scripts may use the attributes of
 * such a link for anything.
 */
export function addressIn(element: Element): string | null {
  const href = hrefIn(element)
  return href === null || href === '' || href.startsWith('#')
    ? (scriptAddressIn(element) ?? href)
    : href
}
