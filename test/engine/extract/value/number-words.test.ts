import { describe, expect, test } from 'vitest'
import { parseNumber, readNumber } from '../../../../src/engine/extract/value/parse-number.ts'
import { failingCases } from '../../../support/failing-cases.ts'

// Proves how words and letters after a number change it, in all languages of the runtime's tables:
// the value is right, or it is `null` and unclear.

describe('without a language', () => {
  test('a word for a power of ten multiplies the number before it', async () => {
    const failing = await failingCases(
      [
        ['1,5 Mio. €', 1_500_000],
        ['3 Mrd. Euro', 3e9],
        ['20 Tsd.', 20_000],
        ['2.5 million people', 2_500_000],
        ['2  million', 2e6],
        ['1 Million', 1e6],
        ['1.5-million dollar', 1_500_000],
        ['1,2 milliard d’euros', 1.2e9],
        ['3 millones', 3e6],
        ['3,5 milhões', 3_500_000],
        ['2 miljoen', 2e6],
        ['1,2 млн руб.', 1_200_000],
        ['5 тыс.', 5_000],
        ['2 lakh', 200_000],
        ['2.2 lakh', 220_000],
        ['4.1 Mio.', 4_100_000],
        ['1.2k', 1_200],
        ['2.01k', 2_010],
        ['1.2K ratings', 1_200],
        ['18k followers', 18_000],
        ['1.2m views', 1_200_000],
        ['$12k', 12_000],
        ['$12 K', 12_000],
        ['$1.5M', 1_500_000],
        ['$1.5 M', 1_500_000],
        ['12 k€', 12_000],
        ['1.5M €', 1_500_000],
        ['₹2Cr', 2e7],
        ['$100-150K', 100_000],
        ['1.5–2 million', 1_500_000],
        ['($1.5M)', -1_500_000],
        ['$(1.5) million', -1_500_000],
        ['5백만', 5e6],
        ['3万円', 30_000],
        ['2兆円', 2e12],
        ['$800,000–$1.2M', 800_000],
        ['2 to 3 million', 2e6],
        ['10 à 20 k€', 10_000],
        ['2½ million', 2_500_000],
        ['€ 275.000 k.k.', 275_000],
        ['25 mio.kr.', 25e6],
        ['$50 grand', 50_000],
        ['$50 grand for a year', 50_000],
        ['2 dozen eggs', 24],
        ['3 Dutzend', 36],
        ['0.7 dozen', 8.4],
        ['$3.99 dozen', 3.99],
        ['USD 3.99 dozen', 3.99],
        ['€ 2,50 Dutzend', 2.5],
        ['2,50 € Dutzend', 2.5],
        ['Eggs, 1 dozen $4.50', 12],
        ['10к просмотров', 10_000],
        ['8百家', 800],
        ['12k Aufrufe', 12_000],
        ['1,234 views', 1_234],
        ['1.234 Aufrufe', 1_234],
        ['12.345 euros', 12_345],
      ] as const,
      ([text]) => text,
      ([text, expected]) => expect(parseNumber(text)).toBe(expected),
    )
    expect(failing).toEqual([])
  })

  test('another word after a number leaves it as it is', async () => {
    const failing = await failingCases(
      [
        ['2700K', 2700],
        ['4 km', 4],
        ['5kg', 5],
        ['1.5m', 1.5],
        ['6 t', 6],
        ['256 MB', 256],
        ['5 millimetres', 5],
        ['3 thousandths', 3],
        ['€25m²', 25],
        ['$10m³', 10],
        ['1 T$', 1],
        ['1 B/.', 1],
        ['12-M8 screws', 12],
        ['3 B&Bs', 3],
        ['3 M.2 slots', 3],
      ] as const,
      ([text]) => text,
      ([text, expected]) => expect(parseNumber(text)).toBe(expected),
    )
    expect(failing).toEqual([])
  })

  test('a word with two meanings makes a number unclear', async () => {
    const failing = await failingCases(
      [
        ['18k gold', true],
        ['1.5M', true],
        ['1B+', true],
        ['2.5K display', true],
        ['£1.2 m', true],
        ['500 T€', true],
        ['1億2000万円', true],
        ['7 billion', false],
        ['3 mil', false],
        ['$1.125 million', false],
        ['2 crore 50 lakh', false],
        ['$900-$1M', false],
        ['14 Mia Drive', false],
        ['3 milijuna', false],
        ['$ 25 MM', false],
        ['1/2 million', false],
        ['10к', true],
      ] as const,
      ([text]) => text,
      ([text, mayBeUnit]) =>
        expect(readNumber(text)).toMatchObject({ value: null, isUnclear: true, mayBeUnit }),
    )
    expect(failing).toEqual([])
  })

  test('a price with three decimals is not read as thousands', async () => {
    const failing = await failingCases(
      ['$1.125 billion', '1,125 Mrd. €'] as const,
      (text) => text,
      (text) => expect(parseNumber(text, { isAmount: true })).toBeNull(),
    )
    expect(failing).toEqual([])
  })
})

test('the words of a language are read in it', async () => {
  const failing = await failingCases(
    [
      ['en', '7 billion', 7e9],
      ['en', '£1.5bn', 1.5e9],
      ['en', '$1.5mn', 1_500_000],
      ['en', '$2 mm', 2e6],
      ['en', '$1.5T', 1.5e12],
      ['en', '3 mil', 3],
      ['en', '$1.125 billion', 1.125e9],
      ['en-IN', '3 lakh crore', 3e12],
      ['en-IN', '₹45 L', 4_500_000],
      ['de', '1 Billion Euro', 1e12],
      ['de', '6 Bio Eier', 6],
      ['de', '100 Mrd Euro', 1e11],
      ['de', '€1.125 Mrd.', 1.125e12],
      ['da', '1 billion kr', 1e12],
      ['fr', '2 billions d’euros', 2e12],
      ['fr', '1,2 Md €', 1.2e9],
      ['fr', "10 Mn d'euros", 1e7],
      ['fr', '10 mn de lecture', 10],
      ['en', '$50 grand total', 50],
      ['en', '12 grand pianos', 12],
      ['es', '25 mil', 25_000],
      ['es', '3 mil millones', 3e9],
      ['es', '20 mil M €', 2e10],
      ['pt', 'R$ 350 mil', 350_000],
      ['cs', '2 mil. Kč', 2e6],
      ['ro', '20 de milioane lei', 2e7],
      ['hu', '25,9 M Ft', 25_900_000],
      ['tr', '5 bin TL', 5_000],
      ['vi', '3,5 tỷ đồng', 3.5e9],
      ['id', 'Rp500rb', 500_000],
      ['th', '5 ล้าน', 5e6],
      ['fa', '۵ میلیون تومان', 5e6],
      ['ar', '3 مليون', 3e6],
      ['hi', '5 करोड़', 5e7],
      ['ta', '5 லட்சம்', 500_000],
      ['ta', '2 கோடி', 2e7],
      ['te', '₹5 లక్షలు', 500_000],
      ['te', '3 కోట్లు', 3e7],
      ['ml', '5 ലക്ഷം', 500_000],
      ['ml', '3 കോടി', 3e7],
      ['kn', '5 ಲಕ್ಷ', 500_000],
      ['kn', '3 ಕೋಟಿ', 3e7],
      ['or', '5 ଲକ୍ଷ', 500_000],
      ['or', '3 କୋଟି', 3e7],
      ['si', '5 ලක්ෂ', 500_000],
      ['si', '3 කෝටි', 3e7],
      ['ru', '10к ₽', 10_000],
      ['ru', '2к квартира', 2],
      ['ru', '12 к. 5', 12],
      ['en', '1/2 inch', 1],
      ['en', '₹120/1 L', 120],
      ['en', '$2.99/2 L', 2.99],
      ['en', 'Rs. 65/1 L', 65],
      ['en', '€ 3,50/100 m', 3.5],
      ['en', '$3/2 T-shirts', 3],
      ['en', '$9.99/100 mil', 9.99],
      ['en', '4/5 B', 4],
      ['el', '2 εκατ. ευρώ', 2e6],
      ['zh', '5千克', 5],
      ['zh', '5百', 500],
      ['zh', '5百货', 5],
      ['zh', '5千帕', 5],
      ['zh', '10千字节', 10],
      ['zh', '5千字', 5_000],
      ['ko', '5만 원', 50_000],
      ['ko', '3천명', 3_000],
      ['ko', '5백원', 500],
      ['ko', '3조각', 3],
      ['ko', '100 만족도', 100],
      ['fr', '1 200 000 – 1,5 M€', 1_200_000],
      ['es', '2 a 3 millones', 2e6],
      ['en', '2 hundred thousand', 200_000],
      ['en', '6500K', 6_500],
      ['en', '2 T-shirts', 2],
      ['en', '3 millionaires', 3],
      ['en', '5 mln users', 5e6],
      ['ar', '20 ألفًا', 20_000],
      ['ar', '15 مليوناً', 15e6],
      ['ar', '5 الاف', 5_000],
      ['hi', '5 हजार', 5_000],
      ['he', '5 אלפים', 5_000],
      ['vi', '500 ngàn đ', 500_000],
      ['de', '900.000 bis 1,2 Mio. €', 900_000],
      ['is', '300 millj. kr.', 3e8],
      ['uk', '1,5 мільярда', 1.5e9],
      ['de', '500 TEUR', 5e5],
      ['sv', '25,5 mkr', 25.5e6],
      ['hu', '59,9 MFt', 59.9e6],
      ['hu', 'Alfa 2000 Kft.', 2000],
      ['en', '500 TUSD', 500],
      ['ko', '5만부', 5e4],
      ['ko', '100만톤', 1e6],
      ['en', 'from 4 to 5. Thousands of people', 4],
      ['en', '1,234½', 1234.5],
      ['en', '120 kUSD', 1.2e5],
    ] as const,
    ([language, text]) => `${text} (${language})`,
    ([language, text, expected]) => expect(parseNumber(text, { language })).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('words that a language does not make clear give no number', async () => {
  const failing = await failingCases(
    [
      ['fr', '1,2 M de vues'],
      ['id', 'Rp 1,5 M'],
      ['tr', '1,2 B TL'],
      ['cs', '5 mil lidí'],
      ['sw', 'elfu 2'],
      ['zh', '100兆'],
      ['ko', '10만족'],
      ['vi', '500 ngàn'],
      ['en', '120 Mill Road'],
      ['en', 'Age 22 Mia'],
      ['es-CL', '$ 25 MM'],
      ['fi', '3 miljoonan euron'],
      ['ru', '5 миллионам'],
      ['el', '3 χιλιάδων'],
      ['sv', 'MSEK 120'],
      ['en', '5 million-dollar homes'],
      ['en', '20 thousand-year-old'],
      ['en', '1½-1¾ million'],
    ] as const,
    ([language, text]) => `${text} (${language})`,
    ([language, text]) =>
      expect(readNumber(text, { language })).toMatchObject({ value: null, isUnclear: true }),
  )
  expect(failing).toEqual([])
})

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
