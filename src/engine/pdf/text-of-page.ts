import { collapse } from '../extract/tree/text-content.ts'
/** A run of text at its position on a PDF page. */
export interface TextRun {
  readonly text: string
  /** Height of the letters. */
  readonly height: number
  /** Distance of the baseline from the page's lower edge. */
  readonly y: number
  /** True if a line ends after this run. */
  readonly ends: boolean
}

interface Line {
  readonly text: string
  readonly height: number
  readonly y: number
}

/**
 * Factor by which heading letters are larger than other letters, and by which a paragraph gap is
 * larger than a line.
 */
const HEADING = 1.25
const GAP = 1.6
const LONGEST_HEADING = 150

/**
 * Returns the text of one page as Markdown. Gaps between lines decide which lines form a paragraph.
 * Large short lines become headings.
 */
export function textOfPage(runs: readonly TextRun[]): string {
  const lines = linesOf(runs)
  const usual = median(
    lines.flatMap(({ text, height }) =>
      Array.from({ length: Math.ceil(text.length / 20) }, () => height),
    ),
  )
  const parts: string[] = []
  let before: Line | null = null
  for (const line of lines) {
    const heading = line.height > usual * HEADING && line.text.length <= LONGEST_HEADING
    const apart =
      before === null ||
      heading ||
      before.height > usual * HEADING ||
      Math.abs(before.y - line.y) > Math.max(before.height, line.height) * GAP ||
      line.y > before.y
    if (apart) parts.push(`${before === null ? '' : '\n\n'}${heading ? '## ' : ''}${line.text}`)
    else addLine(parts, line.text)
    before = line
  }
  return parts.join('')
}

function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: Line[] = []
  let text = ''
  let height = 0
  let y = 0
  const end = (): void => {
    const line = collapse(text)
    if (line !== '') lines.push({ text: line, height, y })
    text = ''
    height = 0
  }
  for (const run of runs) {
    if (run.text.trim() !== '') {
      height = Math.max(height, run.height)
      y = run.y
    }
    text += run.text
    if (run.ends) end()
  }
  end()
  return lines
}

/** Adds a line and rejoins a word that the line break divided. */
function addLine(parts: string[], line: string): void {
  const last = parts.at(-1) ?? ''
  if (/\p{L}-$/u.test(last.slice(-3)) && /^\p{Ll}/u.test(line))
    parts.splice(-1, 1, last.slice(0, -1), line)
  else parts.push(`\n${line}`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
