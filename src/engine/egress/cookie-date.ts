const DELIMITER = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/
const DAY = /^(\d{1,2})(?:\D|$)/
const YEAR = /^(\d{2,4})(?:\D|$)/
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const FIRST_YEAR = 1_601

/** Reads the date of a cookie (RFC 6265, 5.1.1) as Unix milliseconds. `null`: it is not a date. */
export function cookieDate(text: string): number | null {
  let time: RegExpExecArray | null = null
  let day: number | null = null
  let month: number | null = null
  let year: number | null = null
  for (const token of text.split(DELIMITER)) {
    if (time === null && (time = TIME.exec(token)) !== null) continue
    const dayText: string | undefined = DAY.exec(token)?.[1]
    if (day === null && dayText !== undefined) {
      day = Number(dayText)
      continue
    }
    const index = MONTHS.indexOf(token.slice(0, 3).toLowerCase())
    if (month === null && index !== -1) {
      month = index
      continue
    }
    const yearText: string | undefined = YEAR.exec(token)?.[1]
    if (year === null && yearText !== undefined) year = wholeYear(Number(yearText))
  }
  if (time === null || day === null || month === null || year === null) return null
  const [hour, minute, second] = time.slice(1, 4).map(Number)
  if (hour === undefined || minute === undefined || second === undefined) return null
  if (day < 1 || day > 31 || year < FIRST_YEAR || hour > 23 || minute > 59 || second > 59)
    return null
  const date = new Date(Date.UTC(year, month, day, hour, minute, second))
  // 31 February is not a day.
  return date.getUTCMonth() === month ? date.getTime() : null
}

function wholeYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1_900
  return year <= 69 ? year + 2_000 : year
}
