/**
 * Compiles a URL glob: `*` is any run of characters within a path segment, `**` any run at all,
 * everything else stands for itself (compared without case). The pattern must cover the whole URL;
 * one without a scheme (`/products/**`, `shop.example/**`) may match from a later place: from the
 * path, or from the host.
 *
 * Matching takes one step for each character of the URL and 32 of the pattern, whatever the two
 * are.
 */
export function compileGlob(pattern: string): (url: string) => boolean {
  const glob = pattern.toLowerCase()
  let made: GlobAutomaton | null = null
  // Made when a URL is first judged: a recipe is compiled much more often than it is run.
  const matches = (text: string, from: number): boolean =>
    (made ??= new GlobAutomaton(glob)).matches(text, from)
  if (/^[a-z][a-z\d+.-]*:\/\//.test(glob) || glob.startsWith('*'))
    return (url) => matches(url.toLowerCase(), 0)
  return (url) => {
    const text = url.toLowerCase()
    const host = text.indexOf('://') + 3
    if (!glob.startsWith('/')) return matches(text, host)
    const path = text.indexOf('/', host)
    return path !== -1 && matches(text, path)
  }
}

const BITS = 32

/**
 * The states of a glob, one for each number of its characters that were met, as bits that are all
 * moved at once (the Shift-And method of Baeza-Yates and Gonnet). A state stays where a star
 * follows that takes the character.
 */
class GlobAutomaton {
  readonly #words: number
  /** The state in which all characters were met. */
  readonly #last: number
  /** Character → states that it leads on from. */
  readonly #leads = new Map<string, Int32Array>()
  /** States that stay at any character, and those that stay at any but a slash. */
  readonly #anyStays: Int32Array
  readonly #segmentStays: Int32Array

  constructor(glob: string) {
    const tokens = glob.match(/\*+|[^*]/gs) ?? []
    this.#last = tokens.reduce((count, token) => (token.startsWith('*') ? count : count + 1), 0)
    this.#words = Math.floor(this.#last / BITS) + 1
    this.#anyStays = new Int32Array(this.#words)
    this.#segmentStays = new Int32Array(this.#words)
    let state = 0
    for (const token of tokens) {
      if (token.startsWith('**')) setBit(this.#anyStays, state)
      if (token.startsWith('*')) setBit(this.#segmentStays, state)
      else setBit(this.#leadsOf(token), state++)
    }
  }

  /** Whether the text, from a place on, is what the glob describes. */
  matches(text: string, from: number): boolean {
    const states = new Int32Array(this.#words)
    states[0] = 1
    for (let at = from; at < text.length; at++) {
      const char = text.charAt(at)
      if (
        !this.#move(
          states,
          this.#leads.get(char),
          char === '/' ? this.#anyStays : this.#segmentStays,
        )
      )
        return false
    }
    return hasBit(states, this.#last)
  }

  /** Moves all states by one character; `false`: none is left. */
  #move(states: Int32Array, leads: Int32Array | undefined, stays: Int32Array): boolean {
    let carry = 0
    let left = 0
    for (let word = 0; word < this.#words; word++) {
      const now = states[word] ?? 0
      const on = leads === undefined ? 0 : now & (leads[word] ?? 0)
      const next = (on << 1) | carry | (now & (stays[word] ?? 0))
      carry = on >>> (BITS - 1)
      states[word] = next
      left |= next
    }
    return left !== 0
  }

  #leadsOf(char: string): Int32Array {
    const known = this.#leads.get(char)
    if (known) return known
    const leads = new Int32Array(this.#words)
    this.#leads.set(char, leads)
    return leads
  }
}

function setBit(words: Int32Array, bit: number): void {
  const word = Math.floor(bit / BITS)
  words[word] = (words[word] ?? 0) | (1 << (bit % BITS))
}

function hasBit(words: Int32Array, bit: number): boolean {
  return (((words[Math.floor(bit / BITS)] ?? 0) >>> (bit % BITS)) & 1) === 1
}
