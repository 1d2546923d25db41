import type { Document, Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isQuirky } from './doctype.ts'
import {
  FOREIGN,
  HEAD,
  INTEGRATION,
  MATH,
  TABLE_CONTEXT,
  TABLE_PART,
  traitsOf,
  VOID,
  type Traits,
} from './element-traits.ts'
import { closeForeign, foreignTraits, isForeign } from './foreign-elements.ts'
import { closeInBody } from './html-end-tags.ts'
import { closeInFrames, mayHaveFrames, openInFrames, textInFrames } from './html-frames.ts'
import { openInBody } from './html-start-tags.ts'
import { openInTable, STAYS_IN_TABLE, TABLE_RULES } from './html-tables.ts'
import { OpenElements, type TreeWork } from './open-elements.ts'
import { NO_ATTRIBUTES } from './tag-attributes.ts'
import type { ElementAttributes, TokenSink } from './token-sink.ts'

const HTML = traitsOf('html')
const HEAD_ELEMENT = traitsOf('head')
const BODY = traitsOf('body')
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|noscript)$/
const LEADING_SPACE = /^[\t\n\f\r ]+/
const NOT_SPACE = /[^\t\n\f\r ]/
/** Maximum number of attributes that further `<html>` and `<body>` tags may add. */
const MAX_MERGED = 1_000
/** Maximum number of elements per character that are opened again, beyond the first ones. */
const COPIES_PER_CHARACTER = 1 / 16
const COPIES_ALWAYS = 2_000
/** Steps for an element that is opened again in a template. */
const COPY_STEPS = 8
/** Maximum number of templates in each other. Further ones are only counted. */
const MAX_TEMPLATES = 500
/** Maximum number of elements in the open templates. */
const MAX_IN_TEMPLATES = 500_000

/** The templates of a page. What is built of them is only to know where a template ends. */
interface Templates {
  /** The builders of those that are open. */
  readonly open: HtmlBuilder[]
  readonly page: HtmlBuilder
  /** All templates share it, as a page may have any number of them. */
  readonly work: TreeWork
}

/**
 * Tree construction of the HTML Standard (section 13.2.6).
 *
 * The content of `<template>` is left out (no selector reaches it in a browser either), and
 * `<noscript>` holds text.
 */
export class HtmlBuilder implements TokenSink {
  readonly #work: TreeWork
  readonly #open: OpenElements
  readonly #root: Element | null
  #phase: 'before' | 'head' | 'after' | 'body' | 'frames' = 'before'
  #head: Element | null = null
  #body: Element | null = null
  readonly #templates: Templates
  /** In a template, what was in it until now: only what may be in a head, or columns. */
  #content: 'head' | 'columns' | 'any' = 'any'
  /** The number of elements in the templates around this one. */
  #outer = 0
  /** The number of open templates in this one that have no builder. */
  #uncounted = 0
  #skipLineFeed = false
  /** True if a paragraph may contain a table, which the document type decides. */
  #quirks = true
  /** True until there is a document type, or a tag. A later document type is ignored. */
  #mayHaveType = true
  /** True until there is something to see, so that a frameset may still replace the body. */
  #mayHaveFrames = true
  #reordered = false
  #merged = 0
  #isMergeCut = false
  #paid = 0

  /** `page`: the number of its characters, or the templates around the one that is built. */
  constructor(page: number | Templates) {
    const isTemplate = typeof page !== 'number'
    this.#work = isTemplate ? page.work : workFor(page)
    this.#open = new OpenElements(this.#work)
    this.#root = this.#open.push(HTML, {})
    this.#templates = isTemplate ? page : { open: [], page: this, work: workFor(page) }
    if (!isTemplate) return
    this.#phase = 'body'
    this.#content = 'head'
    this.#mayHaveFrames = false
    const around = page.open.at(-1)
    if (around !== undefined) this.#outer = around.#outer + around.#open.elements.length
  }

  get document(): Document {
    return this.#open.document
  }

  get elements(): readonly Element[] {
    return this.#open.elements
  }

  /** Records the parts that were left out because of the limits of a tree. */
  noteCuts(budget: PageBudget): void {
    this.#open.noteCuts(budget)
    if (this.#isMergeCut) budget.cut('attributes of an element', MAX_MERGED, 'page')
    if (this.#isTemplateFull) budget.cut('nodes', MAX_IN_TEMPLATES, 'page')
  }

  /** Takes the steps since the last call for what the characters and elements do not pay. */
  takeSteps(): number {
    const steps = COPY_STEPS * this.#templates.work.copies
    const unpaid = steps - this.#paid
    this.#paid = steps
    return unpaid
  }

  /** True if the elements are not in document order. */
  get reordered(): boolean {
    return this.#reordered || this.#open.reordered
  }

  get foreign(): boolean {
    return (this.#innermost.#open.currentBits & FOREIGN) !== 0
  }

  get finished(): boolean {
    return this.#open.full || this.#isTemplateFull
  }

  get #isTemplateFull(): boolean {
    const template = this.#templates.open.at(-1)
    return template !== undefined && template.#outer + template.elements.length > MAX_IN_TEMPLATES
  }

  get #innermost(): HtmlBuilder {
    return this.#templates.open.at(-1) ?? this
  }

  doctype(declaration: string): void {
    this.#skipLineFeed = false
    if (this.#mayHaveType && this.#phase === 'before') this.#quirks = isQuirky(declaration)
    this.#mayHaveType = false
  }

  open(name: string, attributes: ElementAttributes, selfClosing: boolean): boolean {
    const template = this.#innermost
    if (template !== this) return template.open(name, attributes, selfClosing)
    this.#skipLineFeed = false
    this.#mayHaveType = false
    const open = this.#open
    const traits = traitsOf(name)
    if (open.currentBits & FOREIGN && isForeign(open, traits, attributes)) {
      const isMath = (open.currentBits & MATH) !== 0
      this.#openForeign(foreignTraits(name, isMath, attributes), attributes, selfClosing)
      return false
    }
    if (this.#phase === 'frames') {
      if (name === 'html') this.#merge(this.#root, attributes)
      return openInFrames(open, traits, attributes)
    }
    if (this.#content !== 'any' && !this.#openInTemplate(traits)) return false
    const shown = name === 'image' ? traitsOf('img') : traits
    if (this.#phase === 'body' || this.#openBeforeBody(shown, attributes))
      this.#openInBody(shown, attributes, selfClosing)
    return true
  }

  close(name: string): void {
    const template = this.#innermost
    if (template !== this) {
      template.close(name)
      return
    }
    this.#skipLineFeed = false
    this.#mayHaveType = false
    const open = this.#open
    // A template is never too deep: it is not opened in the tree around it.
    if (name !== 'template' && open.closesSkipped()) return
    if (open.currentBits & FOREIGN && closeForeign(open, name)) return
    if (name === 'template') this.#endTemplate()
    else if (this.#phase === 'frames') closeInFrames(open, name)
    else if (this.#phase === 'body' || this.#closeBeforeBody(name)) {
      if (name === 'br') this.#mayHaveFrames = false
      open.fostering = true
      closeInBody(open, name)
      open.fostering = false
    }
  }

  text(data: string): void {
    if (this.#templates.open.length > 0) return
    let text = data
    if (this.#skipLineFeed) {
      this.#skipLineFeed = false
      // A return is one that is written as `&#13;`, which stays: line ends are line feeds by now.
      if (text.startsWith('\n')) text = text.slice(1)
    }
    const open = this.#open
    if (this.#phase === 'frames') {
      textInFrames(open, text)
      return
    }
    if (this.#phase !== 'body') text = this.#textBeforeBody(text)
    if (text === '') return
    if (this.#mayHaveFrames && this.#phase === 'body')
      this.#mayHaveFrames = RAW_TEXT.test(open.currentName) || !NOT_SPACE.test(text)
    if (open.currentBits & TABLE_CONTEXT && NOT_SPACE.test(text)) {
      this.#textInTable(text)
      return
    }
    if (open.formatting !== null && this.#takesFormatting) open.reopen()
    open.text(text)
  }

  /** True if formatting is reopened before the text of the current element. */
  get #takesFormatting(): boolean {
    const { currentName, currentBits } = this.#open
    return !(
      this.#phase !== 'body' ||
      (currentBits & (FOREIGN | INTEGRATION)) === FOREIGN ||
      currentBits & TABLE_CONTEXT ||
      RAW_TEXT.test(currentName)
    )
  }

  #textInTable(text: string): void {
    const open = this.#open
    let rest = text
    if (open.currentName === 'colgroup') {
      const space = LEADING_SPACE.exec(text)?.[0] ?? ''
      if (space !== '') open.text(space)
      open.pop()
      rest = text.slice(space.length)
    }
    open.fostering = true
    open.reopen()
    open.text(rest)
    open.fostering = false
  }

  /** Ends the document: closes open elements and adds missing ones. */
  finish(): void {
    if (this.#head === null) {
      this.#head = this.#open.push(HEAD_ELEMENT, {})
      this.#open.pop()
    }
    if (this.#body === null && this.#phase !== 'frames') {
      while (this.#open.depth > 1) this.#open.pop()
      this.#open.push(BODY, {})
    }
    this.#open.closeAll()
  }

  /** @returns True if the body has begun and the tag belongs there */
  #openBeforeBody(traits: Traits, attributes: ElementAttributes): boolean {
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
        this.#openInHead(traits, attributes)
        return false
      }
      this.#endHead()
    }
    if (bits & HEAD && name !== 'noscript') {
      this.#reordered = true
      this.#openInHead(traits, attributes)
      return false
    }
    if (name === 'frameset') {
      this.#beginFrames(traits, attributes)
      return false
    }
    this.#beginBody(name === 'body' ? attributes : {})
    if (name === 'body') this.#mayHaveFrames = false
    return name !== 'body'
  }

  #openInHead(traits: Traits, attributes: ElementAttributes): void {
    const parent = this.#head ?? undefined
    if (traits.bits & VOID) this.#open.append(traits, attributes, parent)
    else if (traits.name === 'template') {
      this.#open.append(traits, attributes, parent)
      this.#beginTemplate()
    } else this.#open.push(traits, attributes, parent)
  }

  #openInBody(traits: Traits, attributes: ElementAttributes, selfClosing: boolean): void {
    const open = this.#open
    const { name, bits } = traits
    this.#mayHaveFrames &&= mayHaveFrames(name, attributes)
    if (name === 'html') this.#merge(this.#root, attributes)
    else if (name === 'body') {
      if (open.currentName === 'colgroup') open.pop()
      this.#merge(this.#body, attributes)
    } else if (name === 'frameset') {
      if (this.#mayHaveFrames) this.#beginFrames(traits, attributes)
    } else if (name === 'head' || name === 'frame') {
      if (open.currentName === 'colgroup') open.pop()
    } else if (!this.#hasTableRule(traits) || !openInTable(open, traits, attributes)) {
      // A start tag may end an element that was moved out of a table, whose part is then current.
      open.fostering = (bits & HEAD) === 0 || !STAYS_IN_TABLE.has(name)
      this.#openContent(traits, attributes, selfClosing)
      open.fostering = false
    }
  }

  #hasTableRule({ name, bits }: Traits): boolean {
    const open = this.#open
    return (
      (open.currentBits & TABLE_CONTEXT) !== 0 ||
      (bits & TABLE_PART) !== 0 ||
      (open.reordered && TABLE_RULES.has(name))
    )
  }

  #openContent(traits: Traits, attributes: ElementAttributes, selfClosing: boolean): void {
    const { name } = traits
    if (name === 'template') {
      this.#open.append(traits, attributes)
      this.#beginTemplate()
    } else if (name === 'svg' || name === 'math') {
      this.#open.reopen()
      const foreign = foreignTraits(name, name === 'math', attributes)
      this.#openForeign(foreign, attributes, selfClosing)
    } else {
      openInBody(this.#open, traits, attributes, this.#quirks)
      this.#skipLineFeed = name === 'pre' || name === 'textarea' || name === 'listing'
    }
  }

  #openForeign(traits: Traits, attributes: ElementAttributes, selfClosing: boolean): void {
    if (selfClosing) this.#open.append(traits, attributes)
    else this.#open.push(traits, attributes)
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
    // A copy, because later tags may add to it.
    this.#body = this.#open.push(BODY, { ...attributes })
    this.#phase = 'body'
  }

  /** Begins frames, in place of a body in which there is nothing to see. */
  #beginFrames(traits: Traits, attributes: ElementAttributes): void {
    const open = this.#open
    open.popTo(1)
    if (this.#body !== null) open.detach(this.#body)
    this.#reordered = true
    this.#phase = 'frames'
    open.push(traits, attributes)
  }

  #beginTemplate(): void {
    this.#mayHaveFrames = false
    const { open } = this.#templates
    if (open.length < MAX_TEMPLATES) open.push(new HtmlBuilder(this.#templates))
    else this.#uncounted++
  }

  #endTemplate(): void {
    if (this.#uncounted > 0) this.#uncounted--
    else if (this.#templates.open.at(-1) === this) {
      this.#templates.open.pop()
      const around = this.#templates.open.at(-1) ?? this.#templates.page
      const list = this.#open.listFormatting()
      this.#open.closeAll()
      if (list.isMarked) around.#open.listFormatting().addLeft(list)
    }
  }

  /** The first tag of a template decides what is around it. @returns False if a tag is ignored */
  #openInTemplate({ name, bits }: Traits): boolean {
    const isForHead = (bits & HEAD) !== 0 && name !== 'noscript'
    if (this.#content === 'columns') {
      if (name === 'template') this.#beginTemplate()
      return false
    }
    if (isForHead) return true
    this.#content = name === 'col' ? 'columns' : 'any'
    if (name === 'col') return false
    if (bits & TABLE_PART) {
      const isCell = name === 'td' || name === 'th'
      const around = isCell
        ? ['table', 'tbody', 'tr']
        : name === 'tr'
          ? ['table', 'tbody']
          : ['table']
      for (const outer of around) this.#open.push(traitsOf(outer), NO_ATTRIBUTES)
    }
    return true
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

function workFor(length: number): TreeWork {
  const mostCopies = COPIES_ALWAYS + Math.floor(length * COPIES_PER_CHARACTER)
  return { copies: 0, mostCopies }
}
