import type { PageBudget } from '../page/page-budget.ts'
import { readRecords } from './csv-records.ts'
import type { CsvRecord } from './csv-records.ts'

/** Best first where files can be read with several: what is rarer in texts. */
const DELIMITERS = ['\t', '|', ';', ','] as const
const SAMPLE = 65_536
const SAMPLE_RECORDS = 50

/**
 * The delimiter with which most records of the beginning have as many cells as the first; comma
 * where there is none.
 */
export function delimiterOf(text: string, budget: PageBudget): string {
  const sample = text.slice(0, SAMPLE)
  let best = { delimiter: ',', alike: 0 }
  for (const delimiter of DELIMITERS) {
    const lengths: number[] = []
    for (const { length } of readRecords(sample, delimiter, budget))
      if (lengths.push(length) === SAMPLE_RECORDS) break
    // The last one may be cut.
    if (lengths.length > 1 && sample.length < text.length) lengths.pop()
    const [first = 0] = lengths
    const alike =
      first < 2 ? 0 : lengths.filter((length) => length === first).length / lengths.length
    if (alike > best.alike) best = { delimiter, alike }
  }
  return best.delimiter
}

const NUMBER = /^[+-]?[\d.,]*\d\s?%?$/
const YEAR = /^[12]\d{3}$/
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/
const ADDRESS = /^(?:https?:\/\/\S|[^\s@]{1,64}@[^\s@]{1,255}$)/i

/**
 * Whether a file begins with the names of its columns. Values tell that it does not: a number, a
 * date, an address; but a year above something else is a name.
 */
export function hasHeader(first: CsvRecord, second: CsvRecord | undefined): boolean {
  return first.every((cell, at) => {
    const text = cell?.trim() ?? ''
    if (YEAR.test(text) && second !== undefined) return !YEAR.test(second[at]?.trim() ?? '')
    return text.length > 400 || !(NUMBER.test(text) || DATE.test(text) || ADDRESS.test(text))
  })
}
