/** A scheme with an authority, as in `https://shop.example`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i

/**
 * True for the address of a page, also one within a network: `shop.example/pens`, `localhost`,
 * `intranet/list`. False for search terms, which contain a space or no part of an address.
 */
export function isAddress(text: string): boolean {
  if (SCHEME.test(text)) return true
  if (/\s/.test(text)) return false
  // A sentence of one word may end with a dot.
  return text.includes('/') || /[.:]./.test(text) || text.toLowerCase() === 'localhost'
}

/** The address with a scheme, which people omit. */
export function withScheme(address: string): string {
  if (SCHEME.test(address)) return address
  return `https:${address.startsWith('//') ? '' : '//'}${address}`
}

/**
 * The typed text without a name and a password before a host, because others see the address of a
 * screen.
 */
export function withoutCredentials(typed: string): string {
  const text = typed.trim()
  return isAddress(text)
    ? text.replace(/^((?:[a-z][a-z\d+.-]*:(?=[/\\]))?[/\\]*)[^/\\?#]*@/i, '$1')
    : text
}
