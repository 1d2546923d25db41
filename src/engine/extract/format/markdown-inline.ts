import { replaceEach } from '../../../kernel/text/long-text.ts'
/** A kind of mark around inline content; of one kind, only the outermost is written. */
export type MarkKind = 'strong' | 'em' | 'del' | 'sub' | 'sup' | 'link'

interface Mark {
  readonly kind: MarkKind
  readonly open: string
  readonly close: string
  /** True if the opening mark is in the buffer. It is written with the first text inside. */
  isWritten: boolean
}

const SPACE_ONLY = /^[\t\n\f\r ]*$/
/** White space that is not one space already. */
const SPACES = /[\t\n\f\r][\t\n\f\r ]*| [\t\n\f\r ]+/g
/**
 * Characters that Markdown would read as markup: `<` and `&` only where they could begin a tag or
 * an entity.
 */
const MARKUP = /[\\`*[\]~]|<(?=[a-z/!?])|&(?=#?\w{1,31};)|_/gi
const WORD = /[\p{L}\p{N}]/u
/** Characters that would begin a heading, a quote, a list item or a rule at the start of a line. */
const LINE_START = /^(?:#{1,6}(?= |$)|>|[-+](?= |$)|-[- ]*$|=+ *$)/
const NUMBERED = /^(\d{1,9})([.)])(?= |$)/

/** Collects the inline content of one block. Collapses white space. Writes marks only around text. */
export class InlineBuffer {
  readonly #parts: string[] = []
  readonly #marks: Mark[] = []
  #space = false
  #breaks = 0

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  /** `cell`: pipes are also escaped. */
  text(data: string, cell: boolean): void {
    if (SPACE_ONLY.test(data)) {
      if (data !== '') this.#space = true
      return
    }
    if (/^[\t\n\f\r ]/.test(data)) this.#space = true
    const words = replaceEach(data, SPACES, ' ').trim()
    if (words !== '') this.raw(escapeText(words, cell))
    if (/[\t\n\f\r ]$/.test(data)) this.#space = true
  }

  /** Adds Markdown unchanged, after any pending space and marks. */
  raw(markdown: string): void {
    if (this.#parts.length > 0) {
      if (this.#breaks > 0) this.#parts.push('  \n')
      else if (this.#space) this.#parts.push(' ')
    }
    this.#space = false
    this.#breaks = 0
    for (const mark of this.#marks) {
      if (mark.isWritten) continue
      mark.isWritten = true
      this.#parts.push(mark.open)
    }
    this.#parts.push(markdown)
  }

  space(): void {
    this.#space = true
  }

  /** @returns True for the second of two in a row, which ends a paragraph */
  lineBreak(): boolean {
    return ++this.#breaks > 1
  }

  /** @returns False if a mark of this kind is already open */
  open(kind: MarkKind, open: string, close: string): boolean {
    if (this.#marks.some((mark) => mark.kind === kind)) return false
    this.#marks.push({ kind, open, close, isWritten: false })
    return true
  }

  /** Ends the innermost mark. `unless`: the text to write if the mark is empty. */
  close(unless = ''): void {
    if (unless !== '' && this.#marks.at(-1)?.isWritten === false) this.raw(unless)
    const mark = this.#marks.pop()
    if (mark?.isWritten === true) this.#parts.push(mark.close)
  }

  /**
   * Returns the content and resets the buffer. Open marks continue in the next block, except a
   * link, which is long.
   */
  take(): string {
    for (const mark of this.#marks.toReversed()) if (mark.isWritten) this.#parts.push(mark.close)
    for (const [at, mark] of this.#marks.entries()) {
      if (mark.kind === 'link' && mark.isWritten) this.#marks[at] = { ...mark, open: '', close: '' }
      else mark.isWritten = false
    }
    const content = this.#parts.join('')
    this.#parts.length = 0
    this.#space = false
    this.#breaks = 0
    return content
  }
}

/** Escapes everything that Markdown would read as markup. */
export function escapeText(text: string, cell: boolean): string {
  const escaped = replaceEach(text, MARKUP, (character, at) => {
    if (character === '&') return '&amp;'
    // Inside a word, an underscore is not emphasis.
    if (character === '_' && WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at + 1)))
      return character
    return `\\${character}`
  })
  return cell ? replaceEach(escaped, /\|/g, '\\|') : escaped
}

/** Escapes lines of a paragraph that would be read as headings or lists. */
export function escapeLineStarts(paragraph: string): string {
  return paragraph
    .split('\n')
    .map((line) => line.replace(LINE_START, (start) => `\\${start}`).replace(NUMBERED, '$1\\$2'))
    .join('\n')
}

/** A code span. Its fence is one mark longer than the longest run inside. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}

/** A fenced block of code. */
export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

/** Formats the content of a link's or image's parentheses. */
export function destination(url: string, title: string | undefined): string {
  const address = /[()\s]/.test(url) ? `<${url.replace(/[<>]/g, encodeURIComponent)}>` : url
  const words = title?.replace(SPACES, ' ').trim() ?? ''
  return words === '' ? address : `${address} "${words.replace(/["\\]/g, '\\$&')}"`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
