import { replaceEach } from '../../kernel/text/long-text.ts'
/**
 * Characters that XML 1.0 text cannot hold unescaped: markup, the carriage return (readers turn it
 * into a line feed), and characters that no XML document may hold.
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

/**
 * Escapes text for an XML element. Characters that XML cannot hold, such as control characters,
 * become U+FFFD.
 */
export function xmlText(text: string): string {
  return UNFIT.test(text)
    ? replaceEach(text, EACH, (character) => ESCAPES[character] ?? '\ufffd')
    : text
}

/** Escapes text for an attribute, where readers would turn line breaks and tabs into spaces. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\t\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
