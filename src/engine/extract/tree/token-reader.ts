import { decodeHTML, decodeHTMLAttribute, decodeXML } from 'entities/decode'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

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

/**
 * Turns the tokenizer's positions into names, attributes and text. Entities are decoded here and only where there is an
 * `&`, which lets the tokenizer run from mark to mark instead of looking at every character.
 */
export class TokenReader implements TokenizerCallbacks {
  readonly #source: string
  readonly #sink: TokenSink
  readonly #xml: boolean
  readonly #tokenizer: Tokenizer
  #name = ''
  #attribute = ''
  #value = ''
  #attributes: Attributes = {}
  /** The element whose content is text up to its end tag; script and style have no entities. */
  #raw = false

  constructor(source: string, sink: TokenSink, xml: boolean) {
    this.#source = source
    this.#sink = sink
    this.#xml = xml
    this.#tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: false }, this)
  }

  /** Reads the whole source. */
  read(): void {
    this.#tokenizer.write(this.#source)
    this.#tokenizer.end()
  }

  onopentagname(start: number, end: number): void {
    const name = this.#source.slice(start, end)
    this.#name = this.#xml ? name : lowerCase(name)
    this.#attributes = {}
  }

  onattribname(start: number, end: number): void {
    const name = this.#source.slice(start, end)
    this.#attribute = this.#xml ? name : lowerCase(name)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    const value = this.#source.slice(start, end)
    this.#value = value.includes('&') ? (this.#xml ? decodeXML(value) : decodeHTMLAttribute(value)) : value
  }

  onattribend(): void {
    // The first of two attributes with one name counts.
    if (!Object.hasOwn(this.#attributes, this.#attribute)) this.#attributes[this.#attribute] = this.#value
  }

  onopentagend(end: number): void {
    this.#open(false, end)
  }

  onselfclosingtag(end: number): void {
    this.#open(true, end)
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end)
    this.#raw = false
    this.#sink.close(this.#xml ? name : lowerCase(name), start - 2)
  }

  ontext(start: number, end: number): void {
    const text = this.#source.slice(start, end)
    this.#sink.text(this.#raw || !text.includes('&') ? text : this.#xml ? decodeXML(text) : decodeHTML(text))
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.#xml || this.#sink.foreign) this.#sink.text(this.#source.slice(start, end - offset))
  }

  ondeclaration(start: number, end: number): void {
    this.#sink.doctype(this.#source.slice(start, end))
  }

  isInForeignContext(): boolean {
    return this.#sink.foreign
  }

  oncomment(): void {
    // A comment leaves nothing behind, but what follows it is not the beginning of its parent's text any more.
    this.#sink.text('')
  }

  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #open(selfClosing: boolean, end: number): void {
    this.#raw = !this.#xml && !this.#sink.foreign && RAW.has(this.#name)
    this.#sink.open(this.#name, this.#attributes, selfClosing, end + 1)
    if (this.#sink.finished) this.#tokenizer.pause()
  }
}

const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])
const CAPITAL = /[A-Z]/

function lowerCase(name: string): string {
  return CAPITAL.test(name) ? name.toLowerCase() : name
}
