/**
 * Compiles a URL glob: `*` is any run of characters within a path segment, `**` any run at all, everything else stands
 * for itself (compared without case). The pattern must cover the whole URL; one without a scheme (`/products/**`,
 * `shop.example/**`) may match from a later place: from the path, or from the host.
 *
 * Matching takes at most pattern × URL steps whatever the pattern: after a mismatch only the last `*` and the last `**`
 * are tried again, never an earlier one.
 */
export function compileGlob(pattern: string): (url: string) => boolean {
  const glob = pattern.toLowerCase()
  const tokens = tokenise(glob)
  if (/^[a-z][a-z\d+.-]*:\/\//.test(glob) || glob.startsWith('*')) return (url) => matches(tokens, url.toLowerCase(), 0)
  return (url) => {
    const text = url.toLowerCase()
    const host = text.indexOf('://') + 3
    if (!glob.startsWith('/')) return matches(tokens, text, host)
    const path = text.indexOf('/', host)
    return path !== -1 && matches(tokens, text, path)
  }
}

const SEGMENT = '*'
const ANY = '**'

function tokenise(glob: string): string[] {
  return (glob.match(/\*+|[^*]/gs) ?? []).map((part) => (part.startsWith(ANY) ? ANY : part))
}

// Two-level backtracking: a failure retries the last `*` one character on; where that would cross a `/`, the last `**`.
// Earlier stars never need another try: the earliest match of what lies between two stars of one kind leaves the most room.
function matches(tokens: readonly string[], text: string, from: number): boolean {
  let at = from
  let token = 0
  let segment = -1
  let segmentAt = 0
  let any = -1
  let anyAt = 0
  for (;;) {
    const wanted = tokens[token]
    if (wanted === ANY) {
      any = ++token
      anyAt = at
      segment = -1
    } else if (wanted === SEGMENT) {
      segment = ++token
      segmentAt = at
    } else if (wanted === undefined && at === text.length) return true
    else if (wanted !== undefined && at < text.length && wanted === text[at]) {
      token++
      at++
    } else if (segment !== -1 && segmentAt < text.length && text[segmentAt] !== '/') {
      at = ++segmentAt
      token = segment
    } else if (any !== -1 && anyAt < text.length) {
      at = ++anyAt
      token = any
      segment = -1
    } else return false
  }
}
