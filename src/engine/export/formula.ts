/** First characters that make a spreadsheet take a cell for a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Whether a spreadsheet may run a text as a formula; numbers with a sign are none. */
export function looksLikeFormula(text: string): boolean {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text)
}
