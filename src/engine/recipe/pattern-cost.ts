/** What it costs to compile a pattern. */
export interface PatternCost {
  /**
   * Instructions with every count written out. The engine may come to fewer, as it joins
   * alternatives, and hardly to more.
   */
  readonly instructions: number
  /** In units of {@link RecipeSize}. */
  readonly units: number
}

const COUNT = /\{(\d{1,9})(,(\d{0,9}))?\}/y
const GROUP_HEAD = /\?(?:[a-zA-Z-]*(?::|(?=\)))|P?<\w*>)/y
const UNICODE_CLASS = /\\[pP]/g
const WIDE_RANGE = /-(?:\\x|\\u|[^\x00-\x7f])/g

const PATTERN_UNITS = 30
const INSTRUCTION_UNITS = 1.5
/** A class such as `\pL` has hundreds of ranges. */
const CLASS_UNITS = 200
/** Of a range that goes beyond ASCII each letter is looked up, where case does not matter. */
const FOLDED_RANGE_UNITS = 6_000

/** What stands between two parentheses. */
interface Level {
  all: number
  /** The last thing, to which a count after it belongs. */
  last: number
}

/**
 * Weighs a pattern by its text alone, in time linear in it: compiling one of 500 characters can
 * take 0.2 s, as counts are written out and multiply where they are nested. A text that is no
 * pattern gets some cost as well.
 */
export function patternCost(source: string): PatternCost {
  const instructions = instructionsOf(source)
  const classes = source.match(UNICODE_CLASS)?.length ?? 0
  const folded = /\(\?[a-z]*i/.test(source) ? (source.match(WIDE_RANGE)?.length ?? 0) : 0
  return {
    instructions,
    units:
      PATTERN_UNITS +
      instructions * INSTRUCTION_UNITS +
      classes * CLASS_UNITS +
      folded * FOLDED_RANGE_UNITS,
  }
}

function instructionsOf(source: string): number {
  const levels: Level[] = []
  let level: Level = { all: 0, last: 0 }
  const add = (size: number): void => {
    level.all += size
    level.last = size
  }
  for (let at = 0; at < source.length; at++) {
    switch (source[at]) {
      case '\\':
        at++
        add(1)
        break
      case '[':
        at = endOfClass(source, at)
        add(1)
        break
      case '(':
        levels.push(level)
        level = { all: 0, last: 0 }
        at += matchAt(GROUP_HEAD, source, at + 1)?.[0].length ?? 0
        break
      case ')': {
        const inside = level.all + 2
        level = levels.pop() ?? { all: 0, last: 0 }
        add(inside)
        break
      }
      case '|':
        add(1)
        break
      case '*':
      case '+':
      case '?':
        level.all++
        level.last++
        break
      case '{': {
        const count = matchAt(COUNT, source, at)
        if (count === null) {
          add(1)
          break
        }
        at += count[0].length - 1
        const times =
          Math.max(1, Number(count[1]), Number(count[3] ?? 0)) + (count[2] === undefined ? 0 : 1)
        const written = level.last * times + (count[2] === undefined ? 0 : times)
        level.all += written - level.last
        level.last = written
        break
      }
      default:
        add(1)
    }
  }
  return levels.reduce((all, open) => all + open.all, level.all)
}

/** Where a class in brackets ends: at the first bracket that closes, but not as its first character. */
function endOfClass(source: string, start: number): number {
  let at = start + 1
  if (source[at] === '^') at++
  if (source[at] === ']') at++
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source[at] === '\\') at++
    else if (source.startsWith('[:', at)) {
      const end = source.indexOf(':]', at)
      if (end !== -1) at = end + 1
    }
  }
  return at
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
