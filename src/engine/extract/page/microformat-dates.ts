const DAY = /^(?:\d{4}-\d\d-\d\d|\d{4}-\d{3}|\d{4}-\d\d)$/
const WHOLE = /^(\d{4}-(?:\d\d-\d\d|\d{3}))[T\s]\s{0,5}(\S.{0,40})$/
const TIME =
  /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?:\.\d+)?\s{0,5}([ap]\.?m\.?)?\s{0,5}(Z|[+-]\d\d?:?\d{0,2})?$/i
const ZONE = /^(?:Z|[+-]\d\d?:?\d{0,2})$/

/**
 * Joins the parts of a date as the value class pattern says: a day, a time and a zone, each once,
 * in any order. `before`: the day for a time without a date. `isWhole`: there is only one text;
 * then the result is `null`, except for a time without its day. `isClassic`: it is of a classic
 * format. `null`: it is not a date.
 */
export function dateOfParts(
  parts: readonly string[],
  before: string | null,
  isWhole = false,
  isClassic = false,
): string | null {
  let day: string | null = null
  let time: string | null = null
  let zone: string | null = null
  for (const part of parts.map((text) => text.trim())) {
    const whole = WHOLE.exec(part)
    if (whole !== null && isWhole) return null
    const clock = timeOf(whole?.[2] ?? part, isClassic)
    if (whole !== null && clock !== null) {
      if (day !== null || time !== null) continue
      return `${whole[1] ?? ''} ${clock.time}${clock.zone}`
    }
    if (DAY.test(part)) day ??= part
    else if (ZONE.test(part) && !/^[+-]?\d{1,2}$/.test(part)) zone ??= zoneOf(part, isClassic)
    else if (clock !== null && time === null) {
      time = clock.time
      zone ??= clock.zone === '' ? null : clock.zone
    }
  }
  if (isWhole) {
    const isTime =
      day === null && time !== null && before !== null && /[:apm]/i.test(parts[0] ?? '')
    return isTime ? `${before} ${time}${zone ?? ''}` : null
  }
  if (time === null) return day
  day ??= before
  return day === null ? null : `${day} ${time}${zone ?? ''}`
}

function timeOf(text: string, isClassic: boolean): { time: string; zone: string } | null {
  const [, hour, minute, second, half, zone = ''] = TIME.exec(text) ?? []
  if (hour === undefined || (minute === undefined && half === undefined)) return null
  const inDay =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  if (inDay > 24) return null
  const time = [
    String(inDay).padStart(2, '0'),
    minute ?? '00',
    ...(second === undefined ? [] : [second]),
  ]
  return { time: time.join(':'), zone: zoneOf(zone, isClassic) }
}

/** Classic formats write zones without their colon. */
function zoneOf(zone: string, isClassic: boolean): string {
  return (isClassic ? zone.replace(':', '') : zone).toUpperCase()
}
