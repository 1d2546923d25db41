import { matrixOf, multiply } from './page-words.ts'
import type { Matrix } from './page-words.ts'

/** A straight line on a page: its coordinate, its start and its end. */
export interface Rule {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The lines of a page. */
export interface PageRules {
  readonly horizontal: readonly Rule[]
  readonly vertical: readonly Rule[]
}

/** The operator codes of pdf.js that {@link rulesOf} needs. */
export interface OperatorCodes {
  readonly save: number
  readonly restore: number
  readonly transform: number
  readonly constructPath: number
  readonly paintFormXObjectBegin: number
  readonly paintFormXObjectEnd: number
  readonly stroke: number
  readonly closeStroke: number
  readonly fill: number
  readonly eoFill: number
  readonly fillStroke: number
  readonly eoFillStroke: number
  readonly closeFillStroke: number
  readonly closeEOFillStroke: number
}

/** The operators of a page, as pdf.js lists them. */
export interface Operators {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

/** Maximum width of a filled shape that is a line, in points. */
const THIN = 3
/** Shortest line that counts. */
const SHORT = 4
/** Maximum number of lines of one direction. A page with more is a drawing. */
const MOST = 2_000
/** Nested coordinates. */
const DEEPEST = 64
/** Number of numbers after each command of a path: move, line, curve, quadratic curve, close. */
const OPERANDS = [2, 2, 6, 4, 0] as const

/** Returns the horizontal and vertical lines that a page draws. Empty for a page with too many. */
export function rulesOf(
  { fnArray, argsArray }: Operators,
  codes: OperatorCodes,
  view: Matrix,
): PageRules {
  const strokes = new Set([codes.stroke, codes.closeStroke])
  const fills = new Set([codes.fill, codes.eoFill])
  const both = new Set([
    codes.fillStroke,
    codes.eoFillStroke,
    codes.closeFillStroke,
    codes.closeEOFillStroke,
  ])
  const horizontal: Rule[] = []
  const vertical: Rule[] = []
  const add = (x1: number, y1: number, x2: number, y2: number): void => {
    const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
    if (height <= 1 && width >= SHORT)
      horizontal.push({ at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) })
    else if (width <= 1 && height >= SHORT)
      vertical.push({ at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) })
  }
  const stack: Matrix[] = []
  let current = view
  for (const [index, code] of fnArray.entries()) {
    if (horizontal.length > MOST || vertical.length > MOST) return { horizontal: [], vertical: [] }
    const args = argsArray[index]
    if (code === codes.save) pushWithin(stack, current)
    else if (code === codes.restore || code === codes.paintFormXObjectEnd)
      current = stack.pop() ?? current
    else if (code === codes.transform || code === codes.paintFormXObjectBegin) {
      if (code === codes.paintFormXObjectBegin) pushWithin(stack, current)
      const matrix = matrixOf(code === codes.transform ? args : memberOf(args, 0))
      if (matrix !== null) current = multiply(matrix, current)
    } else if (code === codes.constructPath) {
      const painter = memberOf(args, 0)
      if (typeof painter !== 'number') continue
      if (strokes.has(painter) || both.has(painter))
        strokePath(memberOf(memberOf(args, 1), 0), current, add)
      else if (fills.has(painter)) fillPath(memberOf(args, 2), current, add)
    }
  }
  return { horizontal, vertical }
}

function pushWithin(stack: Matrix[], matrix: Matrix): void {
  if (stack.length < DEEPEST) stack.push(matrix)
}

function memberOf(value: unknown, position: number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, position) : undefined
}

type AddLine = (x1: number, y1: number, x2: number, y2: number) => void

function strokePath(path: unknown, matrix: Matrix, add: AddLine): void {
  if (!(path instanceof Float32Array) && !Array.isArray(path)) return
  const numbers = Float64Array.from(path)
  let [x, y, startX, startY] = [0, 0, 0, 0]
  for (let index = 0; index < numbers.length;) {
    const command = numbers[index] ?? 4
    const count = OPERANDS[command]
    if (count === undefined) return
    const [toX, toY] =
      count === 0
        ? [startX, startY]
        : transformed(numbers[index + count - 1] ?? 0, numbers[index + count] ?? 0, matrix)
    if (command === 0) [startX, startY] = [toX, toY]
    else if (command === 1 || command === 4) add(x, y, toX, toY)
    ;[x, y] = [toX, toY]
    index += count + 1
  }
}

/** A thin filled shape is a line. A wide one is a background, whose edges do not separate cells. */
function fillPath(box: unknown, matrix: Matrix, add: AddLine): void {
  const corners = [0, 1, 2, 3].map((position) => memberOf(box, position))
  const [x1, y1, x2, y2] = corners.map((value) => (typeof value === 'number' ? value : 0))
  const [left, top] = transformed(x1 ?? 0, y1 ?? 0, matrix)
  const [right, bottom] = transformed(x2 ?? 0, y2 ?? 0, matrix)
  if (Math.abs(bottom - top) <= THIN) add(left, (top + bottom) / 2, right, (top + bottom) / 2)
  else if (Math.abs(right - left) <= THIN) add((left + right) / 2, top, (left + right) / 2, bottom)
}

function transformed(x: number, y: number, [a, b, c, d, e, f]: Matrix): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f]
}
