const SCHEME = /^mailto:/i
/**
 * A dot-atom (RFC 5322 section 3.2.3) without `%`, which a URL decodes. It begins with a letter or
 * digit.
 */
const LOCAL = /^[a-z\d][\w.!#$&'*+/=^`{|}~-]{0,63}$/i
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i
/** RFC 5321 section 4.5.3.1.3, without the angle brackets. */
const LONGEST_ADDRESS = 254

/** The rule of a mail address, for messages. */
export const ONE_ADDRESS =
  'must be one address such as mailto:ann@example.com: no name, no second address, no line break, ' +
  'nothing after the address'

/** True if events for a webhook with this URL are sent by mail. */
export function isMail(url: string): boolean {
  return SCHEME.test(url)
}

/**
 * The address in `mailto:ann@example.com`, with its domain in lower case. `null`: any other text,
 * such as several addresses, a name, or headers.
 */
export function addressIn(url: string): string | null {
  if (!SCHEME.test(url)) return null
  const [local = '', domain = '', ...rest] = url.slice('mailto:'.length).split('@')
  const labels = domain.split('.')
  const isOne =
    rest.length === 0 &&
    local.length + domain.length < LONGEST_ADDRESS &&
    LOCAL.test(local) &&
    !local.includes('..') &&
    !local.endsWith('.') &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d/.test(labels.at(-1) ?? '')
  return isOne ? `${local}@${domain.toLowerCase()}` : null
}
