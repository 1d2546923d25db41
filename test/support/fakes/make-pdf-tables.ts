import { makePdfOf, objectsOf } from './make-pdf.ts'

/** The lines between cells. `boxes`: a rectangle around each; `filled`: thin filled shapes. */
const STYLES = ['boxes', 'filled', 'heads', 'plain', 'striped'] as const

/** A written table, and its design. */
export interface WrittenTable {
  readonly style: (typeof STYLES)[number]
  readonly rows: readonly (readonly string[])[]
}

/** A file with tables between prose, and the content of the tables. */
export interface TablesFile {
  readonly body: Uint8Array
  readonly tables: readonly WrittenTable[]
}

const WORDS =
  'ink pen nib paper bottle blue black cotton envelope stamp quill ledger margin letter wax seal'.split(
    ' ',
  )
const NAMES = ['Name', 'City', 'Maker', 'Kind of thing', 'Price', 'Units sold', 'Year', 'Share']
const PROSE =
  'The prices of this report hold until the end of the year, and include what a buyer needs'
const [TOP, BOTTOM, LEFT] = [760, 50, 50]

/** Numbers from a seed, each below one. */
function numbersFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 12_345
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Makes a file of one design: its style, size, gaps, alignment and texts come from the seed. */
export function makeTablesPdf(seed: number): TablesFile {
  const next = numbersFrom(seed)
  const below = (most: number): number => Math.floor(next() * most)
  const pages: string[][] = [[]]
  let y = TOP
  const draw = (operators: string): void => {
    pages.at(-1)?.push(operators)
  }
  const text = (content: string, x: number, baseline: number, size: number): void =>
    draw(`BT /F ${size} Tf ${x.toFixed(1)} ${baseline.toFixed(1)} Td (${content}) Tj ET`)
  const newPage = (): void => {
    pages.push([])
    y = TOP
  }
  const prose = (lines: number): void => {
    for (let line = 0; line < lines; line++) {
      text(PROSE, LEFT, y, 10)
      y -= 13
    }
    y -= 14
  }

  const writeTable = (): WrittenTable => {
    const style = STYLES[below(STYLES.length)] ?? 'plain'
    const size = 8 + below(4)
    const width = 2 + below(5)
    const gap = size * (0.9 + next())
    const isNumber = Array.from({ length: width }, (_, index) => index > 0 && next() < 0.5)
    const wraps = style === 'boxes' || style === 'filled'
    const head = NAMES.slice(0, width).map((name, index) =>
      isNumber[index] === true ? `No ${index}` : name,
    )
    const records = Array.from({ length: 3 + below(next() < 0.2 ? 70 : 15) }, (_, row) =>
      isNumber.map((number, index) =>
        index > 0 && next() < 0.08
          ? ''
          : number
            ? `${below(900) + 1}.${10 + below(90)}`
            : Array.from({ length: 1 + below(3) }, () => WORDS[below(WORDS.length)]).join(' ') +
              `${index === 0 ? ` ${row}` : ''}`,
      ),
    )
    const rows = [head, ...records]
    // Each letter is taken to be wider than it is, so that texts never meet.
    const widths = head.map(
      (_, index) => Math.max(...rows.map((cells) => cells[index]?.length ?? 0)) * size * 0.56 + gap,
    )
    const scale = Math.min(1, 500 / widths.reduce((sum, one) => sum + one, 0))
    const sizes = scale < 1 ? Math.max(5, size * scale) : size
    const stride = sizes * (1.3 + next())
    const lefts = widths.map(
      (_, position) => LEFT + widths.slice(0, position).reduce((sum, one) => sum + one * scale, 0),
    )
    const total = widths.reduce((sum, one) => sum + one * scale, 0)
    for (const [row, cells] of rows.entries()) {
      const isDouble = wraps && row > 0 && next() < 0.2 && (cells[0] ?? '').includes(' ')
      const height = stride + (isDouble ? sizes * 1.2 : 0)
      if (y - height < BOTTOM) newPage()
      const low = y - height
      if (style === 'striped' && row % 2 === 1)
        draw(`0.9 g ${LEFT} ${low.toFixed(1)} ${total.toFixed(1)} ${height.toFixed(1)} re f 0 g`)
      if (style === 'heads' && row < 2)
        draw(`${LEFT} ${y.toFixed(1)} m ${(LEFT + total).toFixed(1)} ${y.toFixed(1)} l S`)
      for (const [step, cell] of cells.entries()) {
        const left = lefts[step] ?? LEFT
        const wide = (widths[step] ?? 0) * scale
        if (style === 'boxes')
          draw(`${left.toFixed(1)} ${low.toFixed(1)} ${wide.toFixed(1)} ${height.toFixed(1)} re S`)
        if (style === 'filled')
          draw(
            `${left.toFixed(1)} ${low.toFixed(1)} ${wide.toFixed(1)} 0.5 re f ` +
              `${left.toFixed(1)} ${y.toFixed(1)} ${wide.toFixed(1)} 0.5 re f ` +
              `${left.toFixed(1)} ${low.toFixed(1)} 0.5 ${height.toFixed(1)} re f ` +
              `${(left + wide).toFixed(1)} ${low.toFixed(1)} 0.5 ${height.toFixed(1)} re f`,
          )
        if (cell === '') continue
        // Digits of Helvetica have 556 thousandths, its point 278.
        const own = (cell.length * 0.556 - (cell.includes('.') ? 0.278 : 0)) * sizes
        const x =
          isNumber[step] === true && row > 0 ? left + wide - gap * scale * 0.4 - own : left + 2
        const first = y - sizes
        if (isDouble && step === 0) {
          const cut = cell.lastIndexOf(' ')
          text(cell.slice(0, cut), x, first, sizes)
          text(cell.slice(cut + 1), x, first - sizes * 1.2, sizes)
        } else text(cell, x, first, sizes)
      }
      y = low
    }
    y -= 30
    return { style, rows }
  }

  text(`Report ${seed}`, LEFT, y, 20)
  y -= 30
  prose(1 + below(4))
  const tables: WrittenTable[] = [writeTable()]
  if (y < 200) newPage()
  prose(2 + below(5))
  if (next() < 0.4) {
    tables.push(writeTable())
    prose(2)
  }
  return { body: makePdfOf(objectsOf(pages.map((page) => page.join('\n'))), 3), tables }
}
