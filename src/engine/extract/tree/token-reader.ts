import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities/decode'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { TextParts } from '../../../kernel/text/text-parts.ts'
import type { PageBudget } from '../page/page-budget.ts'

/** Attribute values by name. */
export type ElementAttributes = Record<string, string>

/** Builds a tree from the reader's tokens. */
export interface TokenSink {
  /** True if no element's content is read as plain text: inside SVG and MathML. */
  readonly foreign: boolean
  /** True once no more tokens are needed. */
  readonly finished: boolean
  open(name: string, attributes: ElementAttributes, selfClosing: boolean, end: number): void
  close(name: string, start: number): void
  text(data: string): void
  doctype(declaration: string): void
}

/** Shared by all elements without attributes; a page has many of them. */
export const NO_ATTRIBUTES: ElementAttributes = Object.freeze({})

/**
 * Converts the tokenizer's positions to names, attributes and text. Entities are decoded here, and
 * only in text with an `&`. So the tokenizer can jump from mark to mark without checking every
 * character.
 */
export class TokenReader implements TokenizerCallbacks {
  readonly #source: TextParts
  readonly #sink: TokenSink
  readonly #xml: boolean
  readonly #tokenizer: Tokenizer
  #name = ''
  #attribute = ''
  /** The start of the attribute's value; -1 for none. */
  #valueStart = -1
  #valueEnd = -1
  #attributes: ElementAttributes = NO_ATTRIBUTES
  #count = 0
  #isCut = false
  /**
   * True inside an element whose content is text up to its end tag. Script and style have no
   * entities.
   */
  #raw = false
  /**
   * Start of a text that may continue with the next token: the tokenizer ends a text at each `<`,
   * which may be text itself.
   */
  #textStart = 0
  #textEnd = 0
  /** The part of the source that is read, and where it begins. Few tokens begin in an earlier one. */
  #part = ''
  #from = 0

  constructor(source: TextParts, sink: TokenSink, xml: boolean) {
    this.#source = source
    this.#sink = sink
    this.#xml = xml
    this.#tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: false }, this)
  }

  /** True if an element has more attributes than are read. */
  get hasManyAttributes(): boolean {
    return this.#isCut
  }

  /** Records what the limits of elements have left out. */
  noteCuts(budget: PageBudget): void {
    if (this.#isCut) budget.cut('attributes of an element', MAX_ATTRIBUTES, 'page')
  }

  /** Reads the whole source. */
  read(): void {
    for (const part of this.#source.parts) {
      if (this.#sink.finished) break
      this.#from += this.#part.length
      this.#part = part
      this.#tokenizer.write(part)
    }
    this.#tokenizer.end()
    this.#giveText()
  }

  onopentagname(start: number, end: number): void {
    this.#giveText()
    const name = this.#slice(start, end)
    this.#name = this.#xml ? name : lowerCase(name)
    this.#attributes = NO_ATTRIBUTES
    this.#count = 0
  }

  onattribname(start: number, end: number): void {
    const name = this.#slice(start, end)
    this.#attribute = this.#xml ? name : lowerCase(name)
    this.#valueStart = -1
  }

  onattribdata(start: number, end: number): void {
    // A value that continues in the next part of the source comes in pieces.
    if (this.#valueStart === -1) this.#valueStart = start
    this.#valueEnd = end
  }

  onattribend(): void {
    if (this.#count >= MAX_ATTRIBUTES) {
      this.#isCut = true
      return
    }
    const isFirst = this.#count++ === 0
    if (isFirst) this.#attributes = {}
    // If two attributes have the same name, the first counts.
    if (isFirst || !Object.hasOwn(this.#attributes, this.#attribute))
      this.#attributes[this.#attribute] = this.#valueOf()
  }

  onopentagend(end: number): void {
    this.#open(false, end)
  }

  onselfclosingtag(end: number): void {
    this.#open(true, end)
  }

  onclosetag(start: number, end: number): void {
    this.#giveText()
    const name = this.#slice(start, end)
    this.#raw = false
    this.#sink.close(this.#xml ? name : lowerCase(name), start - 2)
    if (this.#sink.finished) this.#tokenizer.pause()
  }

  ontext(start: number, end: number): void {
    // The tokenizer gives -1 for a tag that the page cuts off behind its name.
    if (start < 0) return
    if (start !== this.#textEnd) {
      this.#giveText()
      this.#textStart = start
    }
    this.#textEnd = end
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#giveText()
    if (this.#xml || this.#sink.foreign) this.#sink.text(this.#slice(start, end - offset))
  }

  ondeclaration(start: number, end: number): void {
    this.#giveText()
    this.#sink.doctype(this.#slice(start, end))
  }

  isInForeignContext(): boolean {
    return this.#sink.foreign
  }

  oncomment(): void {
    this.#giveText()
    // A comment adds nothing to the tree, but the text after it is no longer the beginning of its
    // parent's text.
    this.#sink.text('')
  }

  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #giveText(): void {
    if (this.#textStart === this.#textEnd) return
    const text = this.#slice(this.#textStart, this.#textEnd)
    this.#textStart = this.#textEnd
    this.#sink.text(
      this.#raw || !text.includes('&') ? text : this.#xml ? decodeXml(text) : decodeHTML(text),
    )
  }

  #slice(start: number, end: number): string {
    return start >= this.#from
      ? this.#part.slice(start - this.#from, end - this.#from)
      : this.#source.slice(start, end)
  }

  #valueOf(): string {
    if (this.#valueStart === -1) return ''
    const value = this.#slice(this.#valueStart, this.#valueEnd)
    if (!value.includes('&')) return value
    return this.#xml ? decodeXml(value) : decodeHTMLAttribute(value)
  }

  #open(selfClosing: boolean, end: number): void {
    this.#raw = !this.#xml && !this.#sink.foreign && RAW.has(this.#name)
    this.#sink.open(this.#name, this.#attributes, selfClosing, end + 1)
    if (this.#sink.finished) this.#tokenizer.pause()
  }
}

/** Maximum attributes of one element. Further ones are left out. */
const MAX_ATTRIBUTES = 1_000
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])

// Names are short, and checking their characters is faster than any pattern.
function lowerCase(name: string): string {
  for (let position = 0; position < name.length; position++) {
    const code = name.charCodeAt(position)
    if (code >= 0x41 && code <= 0x5a) return name.toLowerCase()
  }
  return name
}

/** Decodes entities with their semicolon. XML declares five of them, but feeds use those of HTML. */
function decodeXml(text: string): string {
  return decodeHTMLStrict(text)
}
