import type { Json } from '../../../kernel/json.ts'
import { atOnce, type Parts } from './in-turns.ts'
import { LiteralReader } from './literal-reader.ts'
import type { PageBudget } from './page-budget.ts'
import { NotPlainData, plainParts } from './script-values.ts'

/**
 * Maximum number of values of the result for each character of a script, because a name may stand
 * for many.
 */
const MOST_VALUES = 2

/**
 * Reads data that a script assigns in JavaScript syntax: names without quotes, texts in any quotes,
 * `!0`, `void 0`, `new Date(0)`, and a function that is called at once, whose parameters stand for
 * frequent values. No code is run. `undefined`: it is not plain data.
 *
 * @throws {PageTooCostly}
 */
export function readScriptLiteral(
  text: string,
  start: number,
  budget: PageBudget,
): Json | undefined {
  return atOnce(scriptLiteralParts(text, start, budget, false))?.value
}

/**
 * The same in parts, with the position after the data. `value` is `undefined` for code that only
 * looks like data. `null`: the end is not known. `inParts`: as for `readJson`.
 *
 * @throws {PageTooCostly}
 */
export function* scriptLiteralParts(
  text: string,
  start: number,
  budget: PageBudget,
  inParts: boolean,
): Parts<{ readonly value: Json | undefined; readonly end: number } | null> {
  try {
    const reader = new LiteralReader(text, start, budget, inParts)
    const value = yield* reader.read()
    const { end } = reader
    if (typeof value !== 'object' || value === null || reader.isMostlyUnknown)
      return { value: undefined, end }
    // Without names, each value occurs at one position.
    return reader.hasNames
      ? { value: yield* plainParts(value, MOST_VALUES * (end - start), budget), end }
      : { value, end }
  } catch (error) {
    if (error instanceof NotPlainData) return null
    throw error
  }
}
