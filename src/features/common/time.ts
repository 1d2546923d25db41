const DATE = /^(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)/

/**
 * Whether the month or day that a time of ISO 8601 begins with exists. `Date.parse` takes 30
 * February for a day in March.
 */
export function isInCalendar(text: string): boolean {
  const [, year, month, day = '01'] = DATE.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}
