import type { Document, Element } from 'domhandler'
import type { TextParts } from '../../../kernel/text/text-parts.ts'
import type { PageBudget } from '../page/page-budget.ts'
import {
  BOUNDARY,
  BREAKOUT,
  HEAD,
  INTEGRATION,
  SPECIAL,
  TABLE_CONTEXT,
  TABLE_PART,
  traitsOf,
  VOID,
  type Traits,
} from './element-traits.ts'
import { closeInBody } from './html-end-tags.ts'
import { isSelectPart, openInBody } from './html-start-tags.ts'
import { openInTable } from './html-tables.ts'
import { OpenElements } from './open-elements.ts'
import type { ElementAttributes, TokenSink } from './token-reader.ts'

const HTML = traitsOf('html')
const HEAD_ELEMENT = traitsOf('head')
const BODY = traitsOf('body')
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)$/
const LEADING_SPACE = /^[\t\n\f\r ]+/
/** Maximum attributes that further `<html>` and `<body>` tags may add. */
const MAX_MERGED = 1_000
const CDATA = '<![CDATA['
/** No end tag that matters is longer. */
const TAIL = 300
const NOT_SPACE = /[^\t\n\f\r ]/

/**
 * Tree construction of the HTML Standard (section 13.2.6) for pages that need neither its "adoption
 * agency" nor "foster parenting". It adds omitted elements, implies omitted end tags and ignores
 * stray ones. If a page needs more, `needsBrowser` says so, and the tree is only an approximation.
 *
 * The content of `<template>` is left out (no selector reaches it in a browser either), and
 * `<noscript>` holds text.
 */
export class HtmlBuilder implements TokenSink {
  readonly #open = new OpenElements()
  readonly #source: TextParts
  readonly #lenient: boolean
  readonly #root: Element | null
  #phase: 'before' | 'head' | 'after' | 'body' = 'before'
  #head: Element | null = null
  #body: Element | null = null
  #foreignFrom = -1
  #swallowed: {
    readonly element: Element
    readonly from: number
    depth: number
    foreign: boolean
  } | null = null
  #skipLineFeed = false
  /** True if a paragraph may contain a table, which the document type decides. */
  #quirks: boolean | null = true
  #reordered = false
  #merged = 0
  #isMergeCut = false

  /** `lenient`: continue even if the page needs a browser's parser. */
  constructor(source: TextParts, lenient: boolean) {
    this.#source = source
    this.#lenient = lenient
    this.#root = this.#open.push(HTML, {})
  }

  get document(): Document {
    return this.#open.document
  }

  get elements(): readonly Element[] {
    return this.#open.elements
  }

  get needsBrowser(): boolean {
    return this.#open.misnested && !this.#lenient
  }

  /** Records what the limits of a tree have left out. */
  noteCuts(budget: PageBudget): void {
    this.#open.noteCuts(budget)
    if (this.#isMergeCut) budget.cut('attributes of an element', MAX_MERGED, 'page')
  }

  /** True if the elements are not in document order. */
  get reordered(): boolean {
    return this.#reordered
  }

  get foreign(): boolean {
    return this.#foreignFrom !== -1
  }

  get finished(): boolean {
    return this.needsBrowser || this.#open.full
  }

  doctype(declaration: string): void {
    if (this.#phase === 'before')
      this.#quirks = /^doctype\s+html\s*$/i.test(declaration) ? false : null
  }

  open(name: string, attributes: ElementAttributes, selfClosing: boolean, end: number): void {
    const swallowed = this.#swallowed
    if (swallowed !== null) {
      if (name === 'template' && swallowed.element.name === name) swallowed.depth++
      else if (name === 'svg' || name === 'math') swallowed.foreign = true
      // The tokenizer read the rest as this element's text, which is wrong inside SVG.
      else if (name === 'noscript' || (swallowed.foreign && RAW_TEXT.test(name)))
        this.#open.misnested = true
      return
    }
    this.#skipLineFeed = false
    const traits = traitsOf(name === 'image' && !this.foreign ? 'img' : name)
    if (this.foreign) this.#openForeign(traits, attributes, selfClosing)
    else if (this.#phase === 'body' || this.#openBeforeBody(traits, attributes, end))
      this.#openInBody(traits, attributes, selfClosing, end)
  }

  close(name: string, start: number): void {
    if (this.#swallowed !== null) {
      this.#endSwallowing(name, start)
      return
    }
    this.#skipLineFeed = false
    if (this.#open.closesSkipped()) return
    if (this.foreign) this.#closeForeign(name)
    else if (this.#phase === 'body' || this.#closeBeforeBody(name)) closeInBody(this.#open, name)
  }

  text(data: string): void {
    if (this.#swallowed !== null) return
    let text = data
    if (this.#skipLineFeed) {
      this.#skipLineFeed = false
      text = text.replace(/^\r?\n/, '')
    }
    if (this.#phase !== 'body') text = this.#textBeforeBody(text)
    if (text === '') return
    const open = this.#open
    if (open.currentBits & TABLE_CONTEXT && NOT_SPACE.test(text)) open.misnested = true
    // A script inside a comment inside a script: only a full tokenizer finds its end.
    if (open.currentName === 'script' && text.includes('<!--') && /<script/i.test(text))
      open.misnested = true
    open.text(text)
  }

  /** Ends the document: closes open elements and adds missing ones. */
  finish(): void {
    if (this.#endsWithin()) this.#open.misnested = true
    if (this.#swallowed !== null)
      this.#endSwallowing(this.#swallowed.element.name, this.#source.length)
    if (this.#head === null) {
      this.#head = this.#open.push(HEAD_ELEMENT, {})
      this.#open.pop()
    }
    if (this.#body === null) {
      while (this.#open.depth > 1) this.#open.pop()
      this.#open.push(BODY, {})
    }
    this.#open.closeAll()
  }

  /** True if the page ends inside an end tag or a CDATA section, of which the tokenizer makes text. */
  #endsWithin(): boolean {
    const tail = this.#source.slice(Math.max(0, this.#source.length - TAIL), this.#source.length)
    const tag = tail.lastIndexOf('</')
    if (tag !== -1 && /^<\/[a-z][^>]*$/i.test(tail.slice(tag))) return true
    if (!this.foreign) return false
    const source = this.#source.toString()
    return source.lastIndexOf(CDATA) > source.lastIndexOf(']]>')
  }

  /** @returns True if the body has begun and the tag belongs there */
  #openBeforeBody(traits: Traits, attributes: ElementAttributes, end: number): boolean {
    const { name, bits } = traits
    if (name === 'html') {
      this.#merge(this.#root, attributes)
      return false
    }
    if (this.#phase === 'before') {
      this.#head = this.#open.push(HEAD_ELEMENT, name === 'head' ? attributes : {})
      this.#phase = 'head'
    }
    if (name === 'head') return false
    if (this.#phase === 'head') {
      if (bits & HEAD) {
        this.#openInHead(traits, attributes, end)
        return false
      }
      this.#endHead()
    }
    if (bits & HEAD && name !== 'noscript') {
      this.#reordered = true
      this.#openInHead(traits, attributes, end)
      return false
    }
    if (name === 'frameset') this.#open.misnested = true
    this.#beginBody(name === 'body' ? attributes : {})
    return name !== 'body'
  }

  #openInHead(traits: Traits, attributes: ElementAttributes, end: number): void {
    const parent = this.#head ?? undefined
    if (traits.bits & VOID) this.#open.append(traits, attributes, parent)
    else if (traits.name === 'template' || traits.name === 'noscript')
      this.#swallow(this.#open.append(traits, attributes, parent), end)
    else this.#open.push(traits, attributes, parent)
  }

  #openInBody(
    traits: Traits,
    attributes: ElementAttributes,
    selfClosing: boolean,
    end: number,
  ): void {
    const open = this.#open
    const { name, bits } = traits
    if (name === 'html') this.#merge(this.#root, attributes)
    else if (name === 'body') {
      if (!isSelectPart(open)) this.#merge(this.#body, attributes)
    } else if (name === 'frameset') {
      // It replaces a body that holds nothing to see.
      open.misnested = true
    } else if (name === 'head' || name === 'frame') return
    else if ((open.currentBits & TABLE_CONTEXT) !== 0 || (bits & TABLE_PART) !== 0) {
      if (!openInTable(open, traits, attributes))
        this.#openContent(traits, attributes, selfClosing, end)
    } else this.#openContent(traits, attributes, selfClosing, end)
  }

  #openContent(
    traits: Traits,
    attributes: ElementAttributes,
    selfClosing: boolean,
    end: number,
  ): void {
    const { name } = traits
    if ((name === 'noscript' || name === 'svg' || name === 'math') && isSelectPart(this.#open))
      this.#open.misnested = true
    if (name === 'template' || name === 'noscript')
      this.#swallow(this.#open.append(traits, attributes), end)
    else if (name === 'svg' || name === 'math') {
      if (selfClosing) this.#open.append(traits, attributes)
      else if (this.#open.push(traits, attributes) !== null)
        this.#foreignFrom = this.#open.depth - 1
    } else {
      openInBody(this.#open, traits, attributes, this.#quirks)
      this.#skipLineFeed = name === 'pre' || name === 'textarea' || name === 'listing'
    }
  }

  /** @returns True if the body has begun and the tag belongs there */
  #closeBeforeBody(name: string): boolean {
    const current = this.#open.currentName
    if (current !== 'html' && current !== 'head') {
      if (current === name) this.#open.pop()
      return false
    }
    if (name !== 'body' && name !== 'html' && name !== 'br' && name !== 'head') return false
    if (this.#phase === 'before') {
      this.#head = this.#open.push(HEAD_ELEMENT, {})
      this.#phase = 'head'
    }
    if (this.#phase === 'head') this.#endHead()
    if (name === 'head') return false
    this.#beginBody({})
    return true
  }

  /** @returns The part of the text that belongs in the body, or in the element that is being read */
  #textBeforeBody(text: string): string {
    const current = this.#open.currentName
    if (current !== 'html' && current !== 'head') return text
    const space = LEADING_SPACE.exec(text)?.[0] ?? ''
    if (space !== '' && this.#phase !== 'before') this.#open.text(space)
    const rest = text.slice(space.length)
    if (rest === '') return ''
    if (this.#phase === 'before') this.#head = this.#open.push(HEAD_ELEMENT, {})
    if (this.#phase !== 'after') this.#endHead()
    this.#beginBody({})
    return rest
  }

  #endHead(): void {
    this.#open.pop()
    this.#phase = 'after'
  }

  #beginBody(attributes: ElementAttributes): void {
    // A copy, as later tags may add to it.
    this.#body = this.#open.push(BODY, { ...attributes })
    this.#phase = 'body'
  }

  #swallow(element: Element, from: number): void {
    this.#swallowed = { element, from, depth: 1, foreign: false }
  }

  #endSwallowing(name: string, start: number): void {
    const swallowed = this.#swallowed
    if (swallowed === null || name !== swallowed.element.name || --swallowed.depth > 0) return
    this.#swallowed = null
    if (name !== 'noscript' || start <= swallowed.from) return
    const content = this.#source.slice(swallowed.from, start)
    // The end tag was read as the text of a script or a title inside.
    if (/<\/noscript/i.test(content)) this.#open.misnested = true
    this.#open.text(content, swallowed.element)
  }

  #openForeign(traits: Traits, attributes: ElementAttributes, selfClosing: boolean): void {
    const { name, bits } = traits
    // HTML begins again: rare, with many exceptions.
    if (bits & BREAKOUT || name === 'font' || this.#open.currentBits & INTEGRATION)
      this.#open.misnested = true
    const foreign: Traits = {
      name,
      bits: bits & INTEGRATION ? INTEGRATION | SPECIAL | BOUNDARY : 0,
    }
    if (selfClosing) this.#open.append(foreign, attributes)
    else this.#open.push(foreign, attributes)
  }

  #closeForeign(name: string): void {
    const open = this.#open
    let index = open.depth - 1
    while (index >= this.#foreignFrom && open.nameAt(index) !== name) index--
    if (index >= this.#foreignFrom) open.popTo(index)
    else {
      open.misnested = true
      closeInBody(open, name)
    }
    if (open.depth <= this.#foreignFrom) this.#foreignFrom = -1
  }

  /** Adds the attributes of a second `<html>` or `<body>` that the first did not have. */
  #merge(element: Element | null, attributes: ElementAttributes): void {
    if (element === null) return
    for (const [name, value] of Object.entries(attributes)) {
      if (Object.hasOwn(element.attribs, name)) continue
      if (this.#merged >= MAX_MERGED) {
        this.#isMergeCut = true
        return
      }
      element.attribs[name] = value
      this.#merged++
    }
  }
}
