import type { Pace } from '../../kernel/pace.ts'

/** The rules of one robots.txt for one crawler. */
export interface RobotsRules {
  /**
   * Checks the path and query of a URL, in the form that the URL parser writes. Works in slices,
   * because a site may have 40,000 rules.
   */
  allows(path: string, pace?: Pace): Promise<boolean>
  /** The same, with the rule that decides. `null`: no rule matches the path, so it is allowed. */
  ruleFor(path: string, pace?: Pace): Promise<DecidingRule | null>
  /** `Crawl-delay` in milliseconds, or `null`. Not in the standard, but common in practice. */
  readonly crawlDelayMs: number | null
  /** Absolute URLs of `Sitemap` lines. */
  readonly sitemaps: readonly string[]
}

/** A rule that decides about a path. */
export interface DecidingRule {
  readonly allow: boolean
  /** The rule as the file has it, such as `Disallow: /search`. */
  readonly line: string
}

/** The rules of a site without robots.txt: everything is allowed. */
export const NO_RULES: RobotsRules = {
  allows: async () => true,
  ruleFor: async () => null,
  crawlDelayMs: null,
  sitemaps: [],
}

/** Maximum number of different lines that are read as addresses of sitemaps. */
const MAX_SITEMAPS = 1_000
// No crawled URL is longer, so a longer rule cannot match.
const MAX_PATTERN = 8_192
/** Number of rules that are checked at once. For a path of 8 KB they take about a millisecond. */
const FEW_RULES = 100
/** Number of patterns that are remembered to detect repetitions. */
const MOST_LAST = 1_000

/**
 * Parses a robots.txt (RFC 9309) for the crawler with this product token. Uses all groups that name
 * the token, merged, or else the groups for `*`. The longest matching rule decides; on a tie
 * `Allow` wins. Never throws. Checking a path takes time proportional to the rules and the path,
 * whatever the wildcards.
 */
export function parseRobots(text: string, token: string, base: string): RobotsRules {
  const agentName = token.toLowerCase()
  const own = new Group()
  const others = new Group()
  const sitemaps = new Set<string>()
  const lines = new Set<string>()
  let targets: Group[] = []
  let isInRules = true
  for (const line of text.split(/[\r\n]+/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const key = line.slice(0, colon).trim().toLowerCase()
    const comment = line.indexOf('#', colon)
    const value = line.slice(colon + 1, comment === -1 ? line.length : comment).trim()
    if (key === 'user-agent') {
      if (isInRules) targets = []
      isInRules = false
      if (value === '*') targets.push(others)
      else if (productToken(value) === agentName) {
        own.isNamed = true
        targets.push(own)
      }
    } else if (key === 'allow' || key === 'disallow') {
      isInRules = true
      for (const group of targets) group.add(value, key === 'allow')
    } else if (key === 'crawl-delay') {
      // Not in the standard. Authors mean such a line as a rule, so a `User-agent` line after it
      // begins the next group.
      isInRules = true
      for (const group of targets) group.delay(value)
    } else if (key === 'sitemap' && lines.size < MAX_SITEMAPS && !lines.has(value)) {
      // The line belongs to no group and does not end one (RFC 9309, 2.2.4).
      lines.add(value)
      const url = URL.parse(value, base)
      if (url !== null && value !== '') sitemaps.add(url.href)
    }
  }
  return (own.isNamed ? own : others).rules([...sitemaps])
}

function productToken(value: string): string {
  return (/^[\w.-]*/.exec(value)?.[0] ?? '').toLowerCase()
}

interface Rule {
  readonly allow: boolean
  /** As written. */
  readonly pattern: string
  /** Length of the pattern in octets. It decides which rule wins. */
  readonly length: number
  /** The text between the wildcards. */
  readonly parts: readonly string[]
  readonly isAnchored: boolean
}

class Group {
  readonly #rules: Rule[] = []
  /** The last patterns that were added: some files repeat the same lines thousands of times. */
  readonly #last = { allow: new Set<string>(), disallow: new Set<string>() }
  #crawlDelayMs: number | null = null
  /** True once a `User-agent` line named it, even if no rule follows. */
  isNamed = false

  add(pattern: string, allow: boolean): void {
    // An empty rule has no effect. A rule that does not begin at the root cannot match.
    if ((!pattern.startsWith('/') && !pattern.startsWith('*')) || pattern.length > MAX_PATTERN)
      return
    const last = allow ? this.#last.allow : this.#last.disallow
    if (last.has(pattern)) return
    if (last.size === MOST_LAST) last.clear()
    last.add(pattern)
    const isAnchored = pattern.endsWith('$')
    const plain = isAnchored ? pattern.slice(0, -1) : pattern
    const parts = plain.split(plain.includes('**') ? /\*+/ : '*').map(canonical)
    let length = parts.length - 1 + Number(isAnchored)
    for (const part of parts) length += part.length
    this.#rules.push({ allow, pattern, length, parts, isAnchored })
  }

  delay(value: string): void {
    const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : 0
    if (seconds > 0) this.#crawlDelayMs ??= Math.min(seconds * 1_000, Number.MAX_SAFE_INTEGER)
  }

  rules(sitemaps: readonly string[]): RobotsRules {
    // Sorted by precedence, so that the first match decides.
    const rules = this.#rules.toSorted(
      (a, b) => b.length - a.length || Number(b.allow) - Number(a.allow),
    )
    const find = async (path: string, callersPace: Pace | undefined): Promise<Rule | null> => {
      if (rules.length === 0 || path === '/robots.txt') return null
      const text = canonical(path)
      // For few rules, loading a pacer for each page would cost more than the rules.
      if (rules.length <= FEW_RULES) return rules.find((rule) => matches(rule, text)) ?? null
      const pace = callersPace ?? new (await import('../../kernel/pace.ts')).Pace()
      for (const rule of rules) {
        if (matches(rule, text)) return rule
        const rest = pace.step()
        if (rest) await rest
      }
      return null
    }
    return {
      allows: async (path, pace) => (await find(path, pace))?.allow ?? true,
      async ruleFor(path, pace) {
        const rule = await find(path, pace)
        if (rule === null) return null
        const { allow, pattern } = rule
        return { allow, line: `${allow ? 'Allow' : 'Disallow'}: ${pattern}` }
      },
      crawlDelayMs: this.#crawlDelayMs,
      sitemaps,
    }
  }
}

/**
 * Matches each part at its first position after the previous part. If any placement fits, this one
 * does, so there is no backtracking.
 */
function matches({ parts, isAnchored }: Rule, path: string): boolean {
  const [head = ''] = parts
  if (!path.startsWith(head)) return false
  const last = parts.length - 1
  if (last === 0) return !isAnchored || head.length === path.length
  let offset = head.length
  for (let next = 1; next < last + Number(!isAnchored); next++) {
    const part = parts[next] ?? ''
    const position = path.indexOf(part, offset)
    if (position < 0) return false
    offset = position + part.length
  }
  const tail = parts[last] ?? ''
  return !isAnchored || (path.length - tail.length >= offset && path.endsWith(tail))
}

/** Matches characters that have, or may have, another spelling. */
const ODD = /[^\w.~:/?#[\]@!&'()+,;=-]/
/**
 * Escapes that `encodeURI` makes but a normalised rule does not have, and characters that it leaves
 * unescaped.
 */
const KEPT = /%25|%5[BD]|[*$]/g
/** Escapes in lower case, and escapes of letters, digits and `-.'_~`. */
const OCTETS = /%(?:[a-f][\da-fA-F]|[\dA-F][a-f]|2[7DE]|3\d|[46][1-9A-F]|[57]\d|[57]A|5F|7E)/g
const UNRESERVED = /^[\w.~'-]$/

/**
 * Normalises paths that mean the same to one spelling (RFC 9309, 2.2.2): unreserved octets are
 * bare, all others are percent-encoded in capitals. A `*` or `$` in a path is encoded, because in a
 * rule only the encoded form means the character.
 */
function canonical(text: string): string {
  if (!ODD.test(text)) return text
  return encodeURI(text.toWellFormed())
    .replace(KEPT, (sign) => SPELLED[sign] ?? sign)
    .replace(OCTETS, (octet) => {
      const char = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
      return UNRESERVED.test(char) ? char : octet.toUpperCase()
    })
}

const SPELLED: Readonly<Record<string, string>> = {
  '%25': '%',
  '%5B': '[',
  '%5D': ']',
  '*': '%2A',
  $: '%24',
}
