const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
/**
 * What makes a formula, its full-width forms included, behind nothing but what a reader may trim or
 * ignore.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u
/**
 * What may stand before it: a first character that is neither this nor a formula's own spares the
 * search.
 */
const PLAIN_START = /^[\w"'(),.:;<>[\]{}/\\|!?#$%&*^`~]/

/**
 * Whether a spreadsheet may run a text as a formula (OWASP, CSV injection): it begins with `=`,
 * `+`, `-` or `@`, in full width too, also behind white space and characters without a shape, which
 * some readers leave out. So may whatever follows a tab or a line's end. Numbers with a sign are
 * none.
 */
export function looksLikeFormula(text: string): boolean {
  if (text === '' || PLAIN_START.test(text)) return false
  const first = text.charCodeAt(0)
  if (first === 0x09 || first === 0x0a || first === 0x0d) return true
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text.trim())
}
