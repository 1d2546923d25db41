import { expect, test } from 'vitest'
import { readNumber } from '../../../../src/engine/extract/value/parse-number.ts'
import { failingCases } from '../../../support/failing-cases.ts'

const LANGUAGES = (
  'af am ar az be bg bn bs ca cs cy da de el en en-IN es et eu fa fi fil fr ga gl gu he hi hr hu ' +
  'hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl pa pl ps pt pt-PT ro ru si ' +
  'sk sl sq sr sv sw ta te th tr uk ur uz vi zh zh-TW zu'
).split(' ')
/** `5 m`, `5 t`, `2 L`: letters that are units in all languages. */
const UNIT = /\d\s?(?:[mt]\.?|L)$/

test('numbers that the runtime shortens in any language are right or unclear', async () => {
  expect(await failingCases(LANGUAGES, (language) => language, checkShortened)).toEqual([])
})

function checkShortened(language: string): void {
  const wrong: string[] = []
  let right = 0
  for (const compactDisplay of ['long', 'short'] as const)
    for (const currency of [null, 'EUR']) {
      const format = new Intl.NumberFormat(language, {
        notation: 'compact',
        compactDisplay,
        maximumFractionDigits: 1,
        ...(currency !== null && { style: 'currency', currency }),
      })
      for (let power = 3; power <= 12; power++)
        for (const count of [1, 2, 3, 4, 5, 6, 7, 20, 1.5]) {
          const value = Number(`${count}e${power}`)
          const text = format.format(value)
          const read = readNumber(text, { language })
          if (read.value === value) right++
          else if (
            /\p{N}/u.test(text) &&
            !UNIT.test(text) &&
            !(read.value === null && read.isUnclear)
          )
            wrong.push(`${text}: ${read.value}`)
        }
    }
  expect(wrong).toEqual([])
  // In Sinhala the word comes first, so all numbers are unclear.
  expect(right).toBeGreaterThan(language === 'si' ? -1 : 20)
}
