import { decodeHTMLStrict } from 'entities/decode'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { TextParts } from '../../../kernel/text/text-parts.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { TagAttributes } from './tag-attributes.ts'
import type { TokenSink } from './token-sink.ts'

/**
 * Reads the tokens of XML: converts the tokenizer's positions to names, attributes and text.
 * Entities are decoded here, and only in text with an `&`. So the tokenizer can jump from mark to
 * mark without checking every character.
 */
export class XmlReader implements TokenizerCallbacks {
  readonly #source: TextParts
  readonly #sink: TokenSink
  readonly #tokenizer: Tokenizer
  #name = ''
  #attribute = ''
  /** The start of the attribute's value; -1 for none. */
  #valueStart = -1
  #valueEnd = -1
  readonly #attributes = new TagAttributes()
  /**
   * Start of a text that may continue with the next token: the tokenizer ends a text at each `<`,
   * which may be text itself.
   */
  #textStart = 0
  #textEnd = 0
  /** The current part of the source, and where it begins. Few tokens begin in an earlier one. */
  #part = ''
  #from = 0

  constructor(source: TextParts, sink: TokenSink) {
    this.#source = source
    this.#sink = sink
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, this)
  }

  /** Records the parts that were left out because of the limits of elements. */
  noteCuts(budget: PageBudget): void {
    this.#attributes.noteCuts(budget)
  }

  /** Reads the source part by part, and yields the length of each. */
  *windows(): Generator<number, void, void> {
    for (const part of this.#source.parts) {
      if (this.#sink.finished) break
      this.#from += this.#part.length
      this.#part = part
      this.#tokenizer.write(part)
      yield part.length
    }
    this.#tokenizer.end()
    this.#giveText()
  }

  onopentagname(start: number, end: number): void {
    this.#giveText()
    this.#name = this.#slice(start, end)
    this.#attributes.clear()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#slice(start, end)
    this.#valueStart = -1
  }

  onattribdata(start: number, end: number): void {
    // A value that continues in the next part of the source comes in pieces.
    if (this.#valueStart === -1) this.#valueStart = start
    this.#valueEnd = end
  }

  onattribend(): void {
    this.#attributes.add(this.#attribute, this.#valueOf())
  }

  onopentagend(): void {
    this.#open(false)
  }

  onselfclosingtag(): void {
    this.#open(true)
  }

  onclosetag(start: number, end: number): void {
    this.#giveText()
    this.#sink.close(this.#slice(start, end))
    if (this.#sink.finished) this.#tokenizer.pause()
  }

  ontext(start: number, end: number): void {
    // The tokenizer gives -1 for a tag that is cut off behind its name by the end of the page.
    if (start < 0) return
    if (start !== this.#textEnd) {
      this.#giveText()
      this.#textStart = start
    }
    this.#textEnd = end
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#giveText()
    this.#sink.text(this.#slice(start, end - offset))
  }

  ondeclaration(start: number, end: number): void {
    this.#giveText()
    this.#sink.doctype(this.#slice(start, end))
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
    this.#sink.text(decode(text))
  }

  #slice(start: number, end: number): string {
    return start >= this.#from
      ? this.#part.slice(start - this.#from, end - this.#from)
      : this.#source.slice(start, end)
  }

  #valueOf(): string {
    if (this.#valueStart === -1) return ''
    return decode(this.#slice(this.#valueStart, this.#valueEnd))
  }

  #open(selfClosing: boolean): void {
    this.#sink.open(this.#name, this.#attributes.all(), selfClosing)
    if (this.#sink.finished) this.#tokenizer.pause()
  }
}

/** Decodes entities with their semicolon. XML declares five of them, but feeds use those of HTML. */
function decode(text: string): string {
  return text.includes('&') ? decodeHTMLStrict(text) : text
}
