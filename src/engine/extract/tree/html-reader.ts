import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { GrowingText } from '../../../kernel/text/long-text.ts'
import type { TextParts } from '../../../kernel/text/text-parts.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { ATTRIBUTE_END, NameTable, TAG_END } from './name-table.ts'
import { TagAttributes } from './tag-attributes.ts'
import type { ElementAttributes, TokenSink } from './token-sink.ts'

const TAB = 0x09
const LINE_FEED = 0x0a
const FORM_FEED = 0x0c
const RETURN = 0x0d
const SPACE = 0x20
const EXCLAMATION = 0x21
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const DASH = 0x2d
const SLASH = 0x2f
const EQUALS = 0x3d
const GREATER = 0x3e
const QUESTION = 0x3f

/** The token goes on behind the part of the source that is read. */
const CUT = -1

/** Their content is text up to their end tag. */
const WITH_TEXT = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
])
/** Those of {@link WITH_TEXT} whose text has entities. */
const WITH_ENTITIES = new Set(['title', 'textarea'])
const CDATA = '[CDATA['
const DOCTYPE = 'doctype'

/**
 * Reads the tokens of HTML (HTML Standard, 13.2.5) for a tree. A token is read in one go, from mark
 * to mark, not by a state for each character, which takes half of the time. Its tests compare it
 * with htmlparser2, which has other rules for CDATA in HTML and for a tag in which the page ends.
 */
export class HtmlReader {
  readonly #source: TextParts
  readonly #sink: TokenSink
  readonly #names = new NameTable()
  readonly #attributes = new TagAttributes()
  /** The part of the source that is read, and where it begins. */
  #window = ''
  #from = 0
  #isLast = false
  /** The open element whose content is text, or nothing. */
  #withText = ''
  #hasEntities = true
  #isStopped = false
  /** A text that may go on behind a `<` that is not a tag. Its start may be before the window. */
  #textStart = 0
  #textEnd = 0
  /** The same text before a `</>`, which is not a token and ends no text. */
  #textBefore: GrowingText | null = null

  constructor(source: TextParts, sink: TokenSink) {
    this.#source = source
    this.#sink = sink
  }

  /** Records what the limits of elements have left out. */
  noteCuts(budget: PageBudget): void {
    this.#attributes.noteCuts(budget)
  }

  /** Reads the whole source. */
  read(): void {
    for (const _ of this.windows());
  }

  /** Reads the source window by window, and yields how much of it was read. */
  *windows(): Generator<number, void, void> {
    const { parts } = this.#source
    let rest = ''
    for (let next = 0; next < parts.length && !this.#sink.finished;) {
      let window = rest
      // At least as much again: a token of many parts is joined in linear time.
      do window += parts[next++] ?? ''
      while (next < parts.length && window.length < 2 * rest.length)
      this.#window = window
      this.#isLast = next === parts.length
      const end = this.#readWindow(window)
      if (this.#isStopped) break
      rest = window.slice(end)
      this.#from += end
      yield end
    }
    this.#giveText()
  }

  /** @returns The position up to which the window was read */
  #readWindow(window: string): number {
    const { length } = window
    let position = 0
    while (position < length) {
      if (this.#withText !== '') {
        const end = this.#readContent(window, position)
        if (this.#withText !== '') return end
        position = end
        if (this.#isStopped) return position
        continue
      }
      const mark = window.indexOf('<', position)
      if (mark === -1) {
        this.#addText(position, length)
        return length
      }
      if (mark > position) this.#addText(position, mark)
      const next = this.#readMarkup(window, mark)
      if (next === CUT) return mark
      if (this.#isStopped) return next
      position = next
    }
    return position
  }

  /** Reads what begins with a `<`. @returns The position behind it, or {@link CUT} */
  #readMarkup(window: string, mark: number): number {
    const code = window.charCodeAt(mark + 1)
    if (isLetter(code)) return this.#readStartTag(window, mark + 1)
    if (code === SLASH) return this.#readEndTag(window, mark)
    if (code === EXCLAMATION) return this.#readDeclaration(window, mark + 2)
    if (code === QUESTION) return this.#readBogus(window, mark + 2)
    if (mark + 1 === window.length && !this.#isLast) return CUT
    this.#addText(mark, mark + 1)
    return mark + 1
  }

  #readStartTag(window: string, start: number): number {
    const names = this.#names
    const attributes = this.#attributes
    attributes.clear()
    const { length } = window
    const name = names.read(window, start, TAG_END)
    let position = names.end
    let isClosed = false
    for (;;) {
      if (position >= length) return this.#endInTag(length)
      const code = window.charCodeAt(position)
      if (code === GREATER) break
      if (isSpace(code)) {
        position++
        continue
      }
      if (code === SLASH) {
        position = afterSpace(window, position + 1)
        if (window.charCodeAt(position) !== GREATER) continue
        isClosed = true
        break
      }
      const attribute = names.read(window, position, ATTRIBUTE_END)
      position = afterSpace(window, names.end)
      let value = ''
      if (window.charCodeAt(position) === EQUALS) {
        const from = afterSpace(window, position + 1)
        const quote = window.charCodeAt(from)
        const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE
        const end = isQuoted
          ? window.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", from + 1)
          : endOfValue(window, from)
        if (end === -1) return this.#endInTag(length)
        value = isQuoted ? window.slice(from + 1, end) : window.slice(from, end)
        if (value.includes('&')) value = decodeHTMLAttribute(value)
        position = isQuoted ? end + 1 : end
      }
      // If the page ends here, the tag is incomplete and does not count.
      if (position >= length) return this.#endInTag(length)
      attributes.add(attribute, value)
    }
    this.#open(name, attributes.all(), isClosed)
    return position + 1
  }

  #open(name: string, attributes: ElementAttributes, isClosed: boolean): void {
    const sink = this.#sink
    this.#giveText()
    if (sink.open(name, attributes, isClosed) && WITH_TEXT.has(name)) {
      this.#withText = name
      this.#hasEntities = WITH_ENTITIES.has(name)
    }
    this.#isStopped = sink.finished
  }

  #readEndTag(window: string, mark: number): number {
    const { length } = window
    const start = mark + 2
    if (start === length) {
      if (!this.#isLast) return CUT
      this.#addText(mark, length)
      return length
    }
    const code = window.charCodeAt(start)
    if (code === GREATER) return start + 1
    if (!isLetter(code)) return this.#readBogus(window, start)
    const name = this.#names.read(window, start, TAG_END)
    if (this.#names.end === length) return this.#endInTag(length)
    return this.#close(window, name, mark)
  }

  /** Closes an element by the end tag at a position, whatever else is in that tag. */
  #close(window: string, name: string, mark: number): number {
    const end = window.indexOf('>', mark)
    if (end === -1) return this.#endInTag(window.length)
    this.#giveText()
    this.#withText = ''
    this.#hasEntities = true
    this.#sink.close(name)
    this.#isStopped = this.#sink.finished
    return end + 1
  }

  /** Reads text up to the end tag of its element, or as far as the window has it. */
  #readContent(window: string, position: number): number {
    const name = this.#withText
    const { length } = window
    let mark = name === 'plaintext' ? -1 : window.indexOf('</', position)
    while (mark !== -1 && !isEndTag(window, mark, name)) mark = window.indexOf('</', mark + 2)
    if (name === 'script' && window.slice(position, mark === -1 ? length : mark).includes('<!--')) {
      mark = endOfScript(window, position)
      if (mark === -1 && !this.#isLast) return position
    }
    // The window may end within the end tag.
    const end =
      mark !== -1 ? mark : this.#isLast ? length : Math.max(position, length - name.length - 2)
    if (end > position) this.#addText(position, end)
    if (mark === -1) return end
    const next = this.#close(window, name, mark)
    return next === CUT ? mark : next
  }

  /** Reads what follows `<!`. */
  #readDeclaration(window: string, start: number): number {
    const code = window.charCodeAt(start)
    if (code === DASH && window.charCodeAt(start + 1) === DASH)
      return this.#readComment(window, start + 2)
    // Both words have seven characters.
    const word = window.slice(start, start + CDATA.length)
    // In HTML, the same sign begins what counts as a comment.
    if (word === CDATA && this.#sink.foreign) return this.#readCdata(window, start + CDATA.length)
    if (word.toLowerCase() === DOCTYPE) return this.#readDoctype(window, start)
    return word.length < CDATA.length && !this.#isLast ? CUT : this.#readBogus(window, start)
  }

  #readComment(window: string, start: number): number {
    const end = endOfComment(window, start)
    if (end === -1 && !this.#isLast) return CUT
    this.#noteComment()
    return end === -1 ? window.length : end
  }

  #readCdata(window: string, start: number): number {
    const end = window.indexOf(']]>', start)
    if (end === -1 && !this.#isLast) return CUT
    this.#giveText()
    this.#sink.text(end === -1 ? window.slice(start) : window.slice(start, end))
    return end === -1 ? window.length : end + 3
  }

  #readDoctype(window: string, start: number): number {
    const end = window.indexOf('>', start)
    if (end === -1) return this.#endInTag(window.length)
    this.#giveText()
    this.#sink.doctype(window.slice(start, end))
    return end + 1
  }

  /** Reads what counts as a comment up to the next `>`. */
  #readBogus(window: string, start: number): number {
    const end = window.indexOf('>', start)
    if (end === -1) return this.#readBogusEnd(window)
    this.#noteComment()
    return end + 1
  }

  #readBogusEnd(window: string): number {
    if (!this.#isLast) return CUT
    this.#noteComment()
    return window.length
  }

  /** A tag in which the page ends is left out. */
  #endInTag(length: number): number {
    return this.#isLast ? length : CUT
  }

  #noteComment(): void {
    this.#giveText()
    // A comment adds nothing to the tree, but the text after it is no longer the beginning of its
    // parent's text.
    this.#sink.text('')
  }

  #addText(start: number, end: number): void {
    if (this.#from + start !== this.#textEnd) {
      const before = this.#takeText()
      if (before !== '') (this.#textBefore ??= new GrowingText()).add(before)
      this.#textStart = this.#from + start
    }
    this.#textEnd = this.#from + end
  }

  #giveText(): void {
    const text = this.#takeText()
    const before = this.#textBefore
    if (before === null) {
      if (text !== '') this.#sink.text(text)
      return
    }
    this.#textBefore = null
    before.add(text)
    this.#sink.text(before.toString())
  }

  #takeText(): string {
    const start = this.#textStart - this.#from
    const end = this.#textEnd - this.#from
    if (start === end) return ''
    const text =
      start >= 0
        ? this.#window.slice(start, end)
        : this.#source.slice(this.#textStart, this.#textEnd)
    this.#textStart = this.#textEnd
    return this.#hasEntities && text.includes('&') ? decodeHTML(text) : text
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function isSpace(code: number): boolean {
  return (
    code === SPACE || code === LINE_FEED || code === TAB || code === RETURN || code === FORM_FEED
  )
}

function afterSpace(text: string, start: number): number {
  let position = start
  while (isSpace(text.charCodeAt(position))) position++
  return position
}

/** The end of a value without quotes; -1 if the text ends in it. */
function endOfValue(text: string, start: number): number {
  for (let position = start; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === GREATER || isSpace(code)) return position
  }
  return -1
}

/** True if the end tag of an element is at a position, up to the character behind its name. */
function isEndTag(text: string, mark: number, name: string): boolean {
  const start = mark + 2
  const end = text.charCodeAt(start + name.length)
  if (end !== GREATER && end !== SLASH && !isSpace(end)) return false
  return text.slice(start, start + name.length).toLowerCase() === name
}

/** The signs that decide whether an end tag ends a script. */
const SCRIPT_MARK = /<!--(?:-?>)?|-->|<\/?script[\t\n\f\r />]/gi

/**
 * The position of the end tag of a script with `<!--`; -1 if the text has none. Behind that sign, a
 * `<script>` has an end tag of its own, until `-->` ("script data double escaped state").
 */
function endOfScript(text: string, start: number): number {
  let isEscaped = false
  let isInside = false
  for (const match of text.slice(start).matchAll(SCRIPT_MARK)) {
    const [mark] = match
    if (mark === '<!--') isEscaped = true
    else if (mark.startsWith('</')) {
      if (!isInside) return start + match.index
      isInside = false
    } else if (mark.endsWith('->')) isEscaped = isInside = false
    else isInside ||= isEscaped
  }
  return -1
}

/** The position behind a comment whose text begins at `start`; -1 if the text ends in it. */
function endOfComment(text: string, start: number): number {
  // `<!-->` and `<!--->` are whole comments.
  if (text.charCodeAt(start) === GREATER) return start + 1
  if (text.charCodeAt(start) === DASH && text.charCodeAt(start + 1) === GREATER) return start + 2
  for (let dashes = text.indexOf('--', start); dashes !== -1;) {
    let position = dashes + 2
    while (text.charCodeAt(position) === DASH) position++
    if (text.charCodeAt(position) === EXCLAMATION) position++
    if (text.charCodeAt(position) === GREATER) return position + 1
    dashes = text.indexOf('--', position)
  }
  return -1
}
