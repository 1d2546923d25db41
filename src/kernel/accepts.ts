const MOST_RANGES = 50
const MOST_ANSWERS = 200
const LONGEST_ASKED = 200
const RANGE = /^\s*([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)\s*((?:;.*)?)$/
const QUALITY = /;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/i

const answers = new Map<string, boolean>()

/**
 * Whether `Accept` leaves room for a media type (RFC 9110 section 12.5.1): the most specific range
 * that covers it decides. No header, and one that is no list of ranges, accepts anything.
 */
export function accepts(header: string | null, contentType: string): boolean {
  if (header === null || header === contentType || header.trim() === '') return true
  const asked = `${contentType} ${header}`
  const known = answers.get(asked)
  if (known !== undefined) return known
  const answer = judge(header, contentType)
  // Clients send the same few headers; what anyone can send is not kept for ever.
  if (answers.size === MOST_ANSWERS) answers.clear()
  if (asked.length <= LONGEST_ASKED) answers.set(asked, answer)
  return answer
}

function judge(header: string, contentType: string): boolean {
  const [type = '', subtype = ''] = (contentType.split(';')[0] ?? '')
    .trim()
    .toLowerCase()
    .split('/')
  let best = 0
  let quality = 0
  for (const text of header.split(',', MOST_RANGES)) {
    const [, major, minor, parameters = ''] = RANGE.exec(text.toLowerCase()) ?? []
    if (major === undefined) return true
    const precision =
      major === '*' && minor === '*'
        ? 1
        : major !== type
          ? 0
          : minor === '*'
            ? 2
            : minor === subtype
              ? 3
              : 0
    if (precision === 0 || precision < best) continue
    const q = Number(QUALITY.exec(parameters)?.[1] ?? 1)
    quality = precision > best ? q : Math.max(quality, q)
    best = precision
  }
  return quality > 0
}
