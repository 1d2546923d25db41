import { decodeHTML, decodeHTMLAttribute, decodeXML } from 'entities/decode'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { PageBudget } from '../page/page-budget.ts'

/** Attribute name → value. */
export type Attributes = Record<string, string>

/** Builds a tree of what the reader reads. */
export interface TokenSink {
  /** True where no element's content is read as plain text: inside SVG and MathML. */
  readonly foreign: boolean
  /** True once nothing more is wanted. */
  readonly finished: boolean
  open(name: string, attributes: Attributes, selfClosing: boolean, end: number): void
  close(name: string, start: number): void
  text(data: string): void
  doctype(declaration: string): void
}

/** Shared by all elements without attributes, of which a page has many. */
export const NO_ATTRIBUTES: Attributes = Object.freeze({})

/**
 * Turns the tokenizer's positions into names, attributes and text. Entities are decoded here and
 * only where there is an `&`, which lets the tokenizer run from mark to mark instead of looking at
 * every character.
 */
export class TokenReader implements TokenizerCallbacks {
  readonly #source: string
  readonly #sink: TokenSink
  readonly #xml: boolean
  readonly #tokenizer: Tokenizer
  #name = ''
  #attribute = ''
  #value = ''
  #attributes: Attributes = NO_ATTRIBUTES
  #count = 0
  #isCut = false
  /** The element whose content is text up to its end tag; script and style have no entities. */
  #raw = false
  /**
   * A stretch of text that may go on with the next token: the tokenizer ends one at each `<`, which
   * may be text itself.
   */
  #textStart = 0
  #textEnd = 0

  constructor(source: string, sink: TokenSink, xml: boolean) {
    this.#source = source
    this.#sink = sink
    this.#xml = xml
    this.#tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: false }, this)
  }

  /** Whether an element has more attributes than are read. */
  get hasManyAttributes(): boolean {
    return this.#isCut
  }

  /** Notes what the bounds of elements have left out. */
  noteCuts(budget: PageBudget): void {
    if (this.#isCut) budget.cut('attributes of an element', MAX_ATTRIBUTES, 'page')
  }

  /** Reads the whole source. */
  read(): void {
    this.#tokenizer.write(this.#source)
    this.#tokenizer.end()
    this.#giveText()
  }

  onopentagname(start: number, end: number): void {
    this.#giveText()
    const name = this.#source.slice(start, end)
    this.#name = this.#xml ? name : lowerCase(name)
    this.#attributes = NO_ATTRIBUTES
    this.#count = 0
  }

  onattribname(start: number, end: number): void {
    const name = this.#source.slice(start, end)
    this.#attribute = this.#xml ? name : lowerCase(name)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    const value = this.#source.slice(start, end)
    this.#value = value.includes('&')
      ? this.#xml
        ? decodeXML(value)
        : decodeHTMLAttribute(value)
      : value
  }

  onattribend(): void {
    if (this.#count >= MAX_ATTRIBUTES) {
      this.#isCut = true
      return
    }
    if (this.#count++ === 0) this.#attributes = {}
    // The first of two attributes with one name counts.
    if (!Object.hasOwn(this.#attributes, this.#attribute))
      this.#attributes[this.#attribute] = this.#value
  }

  onopentagend(end: number): void {
    this.#open(false, end)
  }

  onselfclosingtag(end: number): void {
    this.#open(true, end)
  }

  onclosetag(start: number, end: number): void {
    this.#giveText()
    const name = this.#source.slice(start, end)
    this.#raw = false
    this.#sink.close(this.#xml ? name : lowerCase(name), start - 2)
    if (this.#sink.finished) this.#tokenizer.pause()
  }

  ontext(start: number, end: number): void {
    if (start !== this.#textEnd) {
      this.#giveText()
      this.#textStart = start
    }
    this.#textEnd = end
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#giveText()
    if (this.#xml || this.#sink.foreign) this.#sink.text(this.#source.slice(start, end - offset))
  }

  ondeclaration(start: number, end: number): void {
    this.#giveText()
    this.#sink.doctype(this.#source.slice(start, end))
  }

  isInForeignContext(): boolean {
    return this.#sink.foreign
  }

  oncomment(): void {
    this.#giveText()
    // A comment leaves nothing behind, but what follows it is not the beginning of its parent's
    // text any more.
    this.#sink.text('')
  }

  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #giveText(): void {
    if (this.#textStart === this.#textEnd) return
    const text = this.#source.slice(this.#textStart, this.#textEnd)
    this.#textStart = this.#textEnd
    this.#sink.text(
      this.#raw || !text.includes('&') ? text : this.#xml ? decodeXML(text) : decodeHTML(text),
    )
  }

  #open(selfClosing: boolean, end: number): void {
    this.#raw = !this.#xml && !this.#sink.foreign && RAW.has(this.#name)
    this.#sink.open(this.#name, this.#attributes, selfClosing, end + 1)
    if (this.#sink.finished) this.#tokenizer.pause()
  }
}

/** More attributes of one element are left out. */
const MAX_ATTRIBUTES = 1_000
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])
const CAPITAL = /[A-Z]/

function lowerCase(name: string): string {
  return CAPITAL.test(name) ? name.toLowerCase() : name
}
