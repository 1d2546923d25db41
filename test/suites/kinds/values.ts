import type { Json } from '../../../src/kernel/json.ts'
import { fieldOf, textPage } from '../page.ts'
import type { Case, Kind } from '../suite.ts'

/** Numbers, prices and dates as people write them. */
export const valueKinds: Readonly<Record<string, Kind>> = {
  number: { judge: async (one) => (await read(one, numberReading(one))) === one.value('number') },
  price: { judge: async (one) => (await read(one, numberReading(one))) === one.value('amount') },
  date: { judge: judgeDate },
}

/** Reads the text of a page in the case's language, as a recipe's field does. */
function read(one: Case, as: Json): Promise<Json> {
  const [only, ...more] = one.texts('languages')
  const language = one.text('language', more.length === 0 ? (only ?? '') : '')
  const lang = language === '' ? '' : ` lang="${language}"`
  const text = one.text('text').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return fieldOf(
    { css: 'p', as },
    {
      ...textPage(`<!DOCTYPE html><html${lang}><body><p>${text}</p></body></html>`, 'text/html'),
      visitedAt: Date.parse(`${one.text('now', '2016-11-07T00:00:00')}Z`),
    },
  )
}

function numberReading(one: Case): Json {
  const decimal = one.value('decimal')
  return decimal === '.' || decimal === ',' ? { number: { decimal } } : 'number'
}

/** Units that a date is judged to the day in. */
const COARSE = /^(?:day|week|month|year|decade)/

async function judgeDate(one: Case): Promise<boolean> {
  const order = one.text('order', '').toLowerCase()
  const value = await read(
    one,
    ['dmy', 'mdy', 'ymd'].includes(order) ? { date: { order } } : 'date',
  )
  const date = one.value('date')
  if (typeof date !== 'string') return value === null
  if (typeof value !== 'string') return false
  if (COARSE.test(one.text('precision', ''))) return value.slice(0, 10) === date.slice(0, 10)
  if (!date.includes('T'))
    return value.slice(0, 10) === date && /^(?:T00:00(?::00)?(?:Z)?)?$/.test(value.slice(10))
  if (date.endsWith('Z')) return Date.parse(value) === Date.parse(date)
  return value.slice(0, 19) === date.slice(0, 19) && !/(?:Z|[+-]\d\d:\d\d)$/.test(value)
}
