const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Whether a spreadsheet may run a text as a formula (OWASP, CSV injection); numbers with a sign are none. */
export function looksLikeFormula(text: string): boolean {
  switch (text.charCodeAt(0)) {
    case 0x3d: // =
    case 0x40: // @
    case 0x09: // tab
    case 0x0d: // carriage return
      return true
    case 0x2b: // +
    case 0x2d: // -
      return !PLAIN_NUMBER.test(text)
    default:
      return false
  }
}
