/**
 * All that cannot stand in XML 1.0 text as it is: markup, the carriage return, which readers turn
 * into a line feed, and what no XML document may hold.
 */
const UNFIT = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u
const EACH = new RegExp(UNFIT.source, 'gu')
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** Text for an element of XML; what XML cannot carry, such as control characters, becomes U+FFFD. */
export function xmlText(text: string): string {
  return UNFIT.test(text) ? text.replace(EACH, (character) => ESCAPES[character] ?? '\ufffd') : text
}

/** The same for an attribute, whose line breaks and tabs readers would turn into spaces. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\t\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
