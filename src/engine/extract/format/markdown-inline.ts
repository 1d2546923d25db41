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

/** White space that is not a single space. */
const SPACES = /[\t\n\f\r][\t\n\f\r ]*| [\t\n\f\r ]+/g
/**
 * Characters that Markdown would read as markup: `<` and `&` only where they could begin a tag or
 * an entity.
 */
const MARKUP = /[\\`*[\]~]|<(?=[a-z/!?])|&(?=#?\w{1,31};)|_/gi
/**
 * Maximum length of a code span that is joined with the next one. Without a limit, each span would
 * write all spans before it again.
 */
const MOST_JOINT = 200
/** Maximum characters of white space between two words; a text may add more at once. */
const MOST_SPACE = 20
const WORD = /[\p{L}\p{N}]/u
/** Characters that would begin a heading, a quote, a list item or a rule at the start of a line. */
const LINE_START = /^(?:#{1,6}(?= |$)|>|[-+](?= |$)|-[- ]*$|=+ *$)/
const NUMBERED = /^(\d{1,9})([.)])(?= |$)/

/** Collects the inline content of one block. Collapses white space. Writes marks only around text. */
export class InlineBuffer {
  readonly #parts: string[] = []
  readonly #marks: Mark[] = []
  /** White space that is written before the next content. */
  #space = ''
  #breaks = 0
  /** True if, within a link, a blank line separates the next content. */
  #isParted = false
  /** The text of the last part, if it is a code span; otherwise `null`. */
  #code: string | null = null
  /** The mark that the last part closes. */
  #closed: MarkKind | null = null

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  /** `cell`: pipes are also escaped. */
  text(data: string, cell: boolean): void {
    const words = data.trim()
    if (words === '') {
      this.space(data)
      return
    }
    const start = data.length - data.trimStart().length
    this.space(data.slice(0, start))
    this.raw(escapeText(replaceEach(words, SPACES, ' '), cell))
    this.space(data.slice(start + words.length))
  }

  /** Adds Markdown unchanged, after any pending space and marks. */
  raw(markdown: string): void {
    if (this.#parts.length > 0) {
      if (this.#isParted) this.#parts.push('  \n\\\n')
      else if (this.#breaks > 0) this.#parts.push('  \n')
      else if (this.#space !== '') this.#parts.push(this.#space)
    }
    const isNext = this.#space === '' && this.#breaks === 0 && !this.#isParted
    this.#space = ''
    this.#breaks = 0
    this.#isParted = false
    this.#code = null
    for (const mark of this.#marks) {
      if (mark.isWritten) continue
      mark.isWritten = true
      // Markdown would not read `*a**b*` as two emphases, so the closed mark continues.
      if (isNext && mark.kind !== 'link' && mark.kind === this.#closed) {
        this.#parts.pop()
        continue
      }
      this.#closed = null
      if (mark.open.startsWith('[')) this.#keepBang()
      this.#parts.push(mark.open)
    }
    this.#closed = null
    this.#parts.push(markdown)
  }

  /** Adds a code span. Adjacent spans become one, because their marks would run together. */
  code(text: string, cell: boolean): void {
    const isNext =
      this.#code !== null &&
      this.#breaks === 0 &&
      !this.#isParted &&
      this.#space === '' &&
      this.#marks.every(({ isWritten }) => isWritten)
    const isJoint = isNext && (this.#code ?? '').length <= MOST_JOINT
    if (isNext && !isJoint) this.space()
    const whole = isJoint ? `${this.#code}${text}` : text
    if (isJoint) this.#parts.pop()
    const span = codeSpan(whole)
    this.raw(cell ? replaceEach(span, /\|/g, '\\|') : span)
    this.#code = whole
  }

  /** An exclamation mark before a link would make an image of it. */
  #keepBang(): void {
    const last = this.#parts.at(-1)
    if (last?.endsWith('!') === true && !last.endsWith('\\!'))
      this.#parts[this.#parts.length - 1] = `${last.slice(0, -1)}\\!`
  }

  /** Adds white space. Several white spaces become one, except no-break spaces. */
  space(data = ' '): void {
    if (data === '' || this.#space.length > MOST_SPACE) return
    if (!data.includes('\u00a0') && (this.#space === '' || this.#space === ' ')) {
      this.#space = ' '
      return
    }
    const space = `${this.#space}${data}`
    this.#space = space.includes('\u00a0') ? replaceEach(space, /[^\S\u00a0]+/g, ' ') : ' '
  }

  get hasLink(): boolean {
    return this.#marks.some(({ kind }) => kind === 'link')
  }

  /** True if a part of an open link is already written. */
  get isInLink(): boolean {
    return this.#marks.some(({ kind, isWritten }) => kind === 'link' && isWritten)
  }

  /** True if no content follows {@link part} yet. */
  get isParted(): boolean {
    return this.#isParted
  }

  /** Separates the next content from the previous one like a paragraph, within one link. */
  part(): void {
    this.#isParted = true
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
    if (mark?.isWritten !== true) return
    this.#parts.push(mark.close)
    this.#code = null
    this.#closed = mark.kind
  }

  /**
   * Returns the content and resets the buffer. Open marks continue in the next block, except a
   * link, which is long.
   */
  take(): string {
    for (const mark of this.#marks.toReversed()) if (mark.isWritten) this.#parts.push(mark.close)
    for (const [index, mark] of this.#marks.entries()) {
      if (mark.kind === 'link' && mark.isWritten)
        this.#marks[index] = { ...mark, open: '', close: '' }
      else mark.isWritten = false
    }
    const content = this.#parts.join('')
    this.#parts.length = 0
    this.#space = ''
    this.#code = null
    this.#closed = null
    this.#breaks = 0
    this.#isParted = false
    return content
  }
}

/** Escapes everything that Markdown would read as markup. */
export function escapeText(text: string, cell: boolean): string {
  const escaped = replaceEach(text, MARKUP, (character, index) => {
    if (character === '&') return '&amp;'
    // Inside a word, an underscore is not emphasis.
    if (character === '_' && WORD.test(text.charAt(index - 1)) && WORD.test(text.charAt(index + 1)))
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
  // One space at each edge belongs to the fence, if both have one.
  const isSpaced = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== ''
  const pad = isSpaced || text.startsWith('`') || text.endsWith('`') ? ' ' : ''
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
