/** The cost of compiling a pattern. */
export interface PatternCost {
  /**
   * The number of instructions with every count expanded. The engine may need fewer, because it
   * joins alternatives, but hardly ever more.
   */
  readonly instructions: number
  /** The cost in units of {@link RecipeSize}. */
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
/** If case does not matter, each letter of a range beyond ASCII is looked up. */
const FOLDED_RANGE_UNITS = 6_000

/** The state of one pair of parentheses. */
interface Level {
  all: number
  /** The last atom; a count that follows applies to it. */
  last: number
}

/**
 * Estimates the cost of a pattern from its text alone, in linear time. Compiling a pattern of 500
 * characters can take 0.2 s, because counts are expanded and nested counts multiply. Text that is
 * not a valid pattern also gets a cost.
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
  for (let index = 0; index < source.length; index++) {
    switch (source[index]) {
      case '\\':
        index++
        add(1)
        break
      case '[':
        index = endOfClass(source, index)
        add(1)
        break
      case '(':
        levels.push(level)
        level = { all: 0, last: 0 }
        index += matchAt(GROUP_HEAD, source, index + 1)?.[0].length ?? 0
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
        const count = matchAt(COUNT, source, index)
        if (count === null) {
          add(1)
          break
        }
        index += count[0].length - 1
        const times =
          Math.max(1, Number(count[1]), Number(count[3] ?? 0)) + (count[2] === undefined ? 0 : 1)
        const repeated = level.last * times + (count[2] === undefined ? 0 : times)
        level.all += repeated - level.last
        level.last = repeated
        break
      }
      default:
        add(1)
    }
  }
  return levels.reduce((all, open) => all + open.all, level.all)
}

/**
 * Returns the end of a class in brackets: the first closing bracket that is not the first character
 * of the class.
 */
function endOfClass(source: string, start: number): number {
  let position = start + 1
  if (source[position] === '^') position++
  if (source[position] === ']') position++
  for (; position < source.length && source[position] !== ']'; position++) {
    if (source[position] === '\\') position++
    else if (source.startsWith('[:', position)) {
      const end = source.indexOf(':]', position)
      if (end !== -1) position = end + 1
    }
  }
  return position
}

function matchAt(pattern: RegExp, source: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(source)
}
