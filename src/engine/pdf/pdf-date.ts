/**
 * A date as PDFs write it, `D:20300131120500+01'00'` (ISO 32000-2, 7.9.4), as ISO 8601; `null` for
 * anything else.
 */
export function pdfDate(written: string | null): string | null {
  const parts = /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(
    written ?? '',
  )
  if (!parts) return null
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign = '+',
    ahead = '00',
    minutes = '00',
  ] = parts
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${sign}${ahead}:${minutes}`,
  )
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
