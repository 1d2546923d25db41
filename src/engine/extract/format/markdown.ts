import { replaceEach } from '../../../kernel/text/long-text.ts'
import { isTag, isText, type ChildNode, type Element } from 'domhandler'
import { atOnce, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { BLOCK, collapse, walk, walkParts } from '../tree/text-content.ts'
import { isBeside, isHeadingButton } from './beside.ts'
import { BlockWriter } from './markdown-blocks.ts'
import {
  codeBlock,
  destination,
  escapeLineStarts,
  escapeText,
  InlineBuffer,
  type MarkKind,
} from './markdown-inline.ts'
import { linkShape } from './markdown-links.ts'
import { isCell, recordTables, TableRows } from './markdown-tables.ts'

const LEFT_OUT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'embed',
  'input',
  'button',
  'select',
  'textarea',
  'link',
  'meta',
  'title',
  'head',
])
const CODE = new Set(['code', 'kbd', 'samp', 'tt', 'var'])
const MARKS: Readonly<Record<string, readonly [kind: MarkKind, mark: string]>> = {
  b: ['strong', '**'],
  strong: ['strong', '**'],
  dt: ['strong', '**'],
  summary: ['strong', '**'],
  i: ['em', '*'],
  em: ['em', '*'],
  cite: ['em', '*'],
  dfn: ['em', '*'],
  figcaption: ['em', '*'],
  del: ['del', '~~'],
  s: ['del', '~~'],
  strike: ['del', '~~'],
}
const HEADING = /^h([1-6])$/
/** Blocks between the items of a list. They belong to the item before them. */
const RESUMING = new Set('ul ol menu dir p blockquote pre table h1 h2 h3 h4 h5 h6'.split(' '))
/** A longer fragment is dropped, because it is a text that a link selects, or data of a script. */
const LONGEST_HASH = 500
/** From here on, a fragment only tells a browser which text to mark. */
const TEXT_HASH = ':~:'
/** The steps to write a node, besides its text. */
const NODE_STEPS = 12
const LANGUAGE = /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?:\s|$)/

/**
 * Converts an element to Markdown (CommonMark with GFM tables) with absolute links, without
 * surrounding elements such as navigation, or without those that `keeps` refuses. Takes one pass
 * over the tree.
 */
export function toMarkdown(
  element: Element,
  page: PageContent,
  keeps?: (element: Element) => boolean,
): string {
  return atOnce(markdownParts(element, page, keeps))
}

/** Like {@link toMarkdown} in parts. */
export function* markdownParts(
  element: Element,
  page: PageContent,
  keeps: (element: Element) => boolean = (node) => !isBeside(node),
): Parts<string> {
  const tables = yield* recordTables(element, page.budget)
  const converter = new Converter(element, page, keeps, tables)
  if (converter.enter(element)) {
    yield* walkParts(
      element,
      (child) => converter.enter(child),
      (child) => converter.leave(child),
    )
    converter.leave(element)
  }
  return converter.text()
}

function isLeftOut(element: Element): boolean {
  return LEFT_OUT.has(element.name) && !isHeadingButton(element)
}

function holdsBlock(node: ChildNode): boolean {
  return isTag(node) && BLOCK.has(node.name) && node.name !== 'br'
}

/** True for an element that is the whole of a heading. A heading is bold anyway. */
function isWholeHeading({ parent }: Element): boolean {
  if (parent === null || !isTag(parent) || !HEADING.test(parent.name)) return false
  const content = parent.children.filter(
    (child) => isTag(child) || (isText(child) && child.data.trim() !== ''),
  )
  return content.length === 1
}

/** An open list: the number of the next item, and whether an item came before. */
interface List {
  readonly element: Element
  next: number | null
  hasItems: boolean
  /** Width of the last item's marker, and how many blocks there were at its end. */
  width: number
  blocks: number
  /** The sign of its items: `-` or `*`, `.` or `)`. */
  readonly sign: string
  readonly isInner: boolean
}

class Converter {
  readonly #root: Element
  readonly #page: PageContent
  readonly #keeps: (element: Element) => boolean
  readonly #tables: ReadonlySet<Element>
  readonly #blocks = new BlockWriter()
  readonly #lists: List[] = []
  /** Blocks between items, which continue the item before them. */
  readonly #resumed = new Set<Element>()
  /** Elements that opened a mark. */
  readonly #marked = new Set<Element>()
  /** The link that is written as one link, also around paragraphs. */
  #whole: Element | null = null
  /** Links that are written in a heading inside them, by this heading. */
  readonly #inHeading = new Map<Element, Element>()
  #inline = new InlineBuffer()
  #outside: InlineBuffer | null = null
  #heading = ''
  #table: { readonly element: Element; readonly rows: TableRows } | null = null
  #cell: Element | null = null

  constructor(
    root: Element,
    page: PageContent,
    keeps: (element: Element) => boolean,
    tables: ReadonlySet<Element>,
  ) {
    this.#root = root
    this.#page = page
    this.#keeps = keeps
    this.#tables = tables
  }

  text(): string {
    this.#endParagraph()
    return this.#blocks.text()
  }

  /** @returns True if the children must be read too */
  enter(node: ChildNode): boolean {
    this.#page.budget.work(isText(node) ? NODE_STEPS + (node.data.length >> 1) : NODE_STEPS)
    if (isText(node)) {
      this.#inline.text(node.data, this.#cell !== null)
      return true
    }
    if (!isTag(node)) return false
    if (node !== this.#root && this.#isLeftOut(node)) return false
    const { name } = node
    if (BLOCK.has(name)) {
      if (name === 'br') return this.#break()
      this.#endParagraph()
      this.#beginBlock(node)
      if (name === 'pre') return this.#code(node, true)
    } else if (CODE.has(name) && !node.children.some(holdsBlock)) return this.#code(node, false)
    else if (name === 'img') this.#image(node)
    else if (name === 'q') this.#inline.raw('"')
    this.#mark(node)
    const link = this.#inHeading.get(node)
    if (link !== undefined && this.#open(link)) this.#marked.add(node)
    // The walk calls `leave` only for elements with children.
    if (node.children.length === 0 && node !== this.#root) this.leave(node)
    return true
  }

  leave(node: ChildNode): void {
    if (!isTag(node)) return
    const { name } = node
    if (BLOCK.has(name) && name !== 'br' && !this.#inHeading.has(node)) this.#endParagraph()
    if (this.#marked.delete(node)) this.#inline.close(name === 'a' ? this.#nameOf(node) : '')
    if (this.#inHeading.delete(node)) this.#endParagraph()
    if (node === this.#whole) {
      this.#whole = null
      // The text after the last block of the link is another paragraph.
      if (this.#inline.isParted) this.#endParagraph()
    }
    if (name === 'q') this.#inline.raw('"')
    if (BLOCK.has(name)) this.#endBlock(node)
  }

  #beginBlock(element: Element): void {
    const { name } = element
    if (this.#table !== null && this.#cell === null && (name === 'tr' || isCell(element))) {
      if (name === 'tr') this.#table.rows.row()
      else this.#beginCell(element)
      return
    }
    if (this.#cell !== null) return
    this.#resume(element)
    if (name === 'table' && this.#tables.has(element) && this.#table === null)
      this.#table = { element, rows: new TableRows() }
    else if (name === 'blockquote') this.#blocks.quote()
    else if (name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir' || name === 'dl') {
      const start = Number(element.attribs['start'] ?? 1)
      const isNumbered = name === 'ol'
      const [sign, other] = isNumbered ? ['.', ')'] : ['-', '*']
      this.#lists.push({
        element,
        width: 0,
        blocks: -1,
        next: isNumbered
          ? Number.isSafeInteger(start) && start >= 0 && start < 1e6
            ? start
            : 1
          : null,
        hasItems: false,
        isInner: this.#lists.length > 0,
        // A list directly after another list would continue it.
        sign: this.#blocks.endsWith(sign) ? other : sign,
      })
    } else if (name === 'li' || name === 'dd') this.#beginItem()
    else if (name === 'hr') this.#blocks.rule()
    else if (HEADING.test(name)) this.#heading = `${'#'.repeat(Number(name.slice(1)))} `
  }

  #endBlock(element: Element): void {
    const { name } = element
    if (element === this.#cell) this.#endCell(element)
    if (this.#cell !== null) return
    if (element === this.#table?.element) {
      const table = this.#table.rows.markdown()
      this.#table = null
      if (table !== null) this.#blocks.write(table)
    } else if (name === 'blockquote') this.#blocks.leave()
    else if (name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir' || name === 'dl')
      this.#blocks.endList(this.#lists.pop()?.sign ?? '')
    else if (name === 'li' || name === 'dd') {
      const isFilled = this.#blocks.leave()
      const list = this.#lists.at(-1)
      if (list !== undefined && isFilled) {
        list.hasItems = true
        list.blocks = this.#blocks.count
      }
    } else if (HEADING.test(name)) this.#heading = ''
    if (this.#resumed.delete(element)) {
      this.#blocks.leave()
      const list = this.#lists.at(-1)
      if (list !== undefined) list.blocks = this.#blocks.count
    }
  }

  #resume(element: Element): void {
    const list = this.#lists.at(-1)
    if (list === undefined || element.parent !== list.element || !list.hasItems) return
    if (!RESUMING.has(element.name) || list.width === 0) return
    this.#blocks.resume(list.width)
    this.#resumed.add(element)
  }

  #beginItem(): void {
    const list = this.#lists.at(-1)
    const sign = list?.sign ?? '-'
    const marker = list === undefined || list.next === null ? `${sign} ` : `${list.next++}${sign} `
    // A text between two items ends the list.
    const isNext = list !== undefined && list.hasItems && list.blocks === this.#blocks.count
    const isFirst = list !== undefined && !list.hasItems && list.isInner
    this.#blocks.item(marker, isNext || isFirst)
    if (list !== undefined) list.width = marker.length
  }

  #beginCell(cell: Element): void {
    this.#cell = cell
    this.#outside = this.#inline
    this.#inline = new InlineBuffer()
  }

  #endCell(cell: Element): void {
    this.#table?.rows.cell(this.#inline.take().replaceAll('  \n', '<br>'), cell)
    this.#inline = this.#outside ?? new InlineBuffer()
    this.#outside = null
    this.#cell = null
  }

  /** Inside a cell, blocks become lines. */
  #endParagraph(): void {
    if (this.#cell !== null) {
      if (!this.#inline.isEmpty) this.#inline.lineBreak()
      return
    }
    if (this.#whole !== null && this.#inline.isInLink) return this.#inline.part()
    const content = this.#inline.isEmpty ? '' : this.#inline.take().trim()
    if (content === '') return
    if (this.#heading === '') this.#blocks.write(escapeLineStarts(content))
    else this.#blocks.write(this.#heading + content.replaceAll('  \n', ' ').replace(/#$/, '\\#'))
  }

  #break(): false {
    if (this.#inline.lineBreak() && this.#cell === null && this.#heading === '')
      this.#endParagraph()
    return false
  }

  #mark(element: Element): void {
    const { name } = element
    const mark = Object.hasOwn(MARKS, name) ? MARKS[name] : undefined
    let opened = false
    if (mark !== undefined)
      opened =
        this.#heading === '' || mark[0] !== 'strong' || !isWholeHeading(element)
          ? this.#inline.open(mark[0], mark[1], mark[1])
          : false
    else if (name === 'sub' || name === 'sup')
      opened = this.#inline.open(name, `<${name}>`, `</${name}>`)
    else if (name === 'a' && Object.hasOwn(element.attribs, 'href')) opened = this.#link(element)
    if (opened) this.#marked.add(element)
  }

  /** @returns True if the link was opened here. A link around a heading is opened in the heading. */
  #link(link: Element): boolean {
    if (this.#cell === null && this.#heading === '' && !this.#inline.hasLink) {
      const { budget } = this.#page
      const shape = linkShape(link, (node) => this.#isLeftOut(node), budget)
      if (shape.kind === 'heading') {
        this.#inHeading.set(shape.heading, link)
        return false
      }
      if (shape.kind === 'whole') this.#whole = link
    }
    const isOpen = this.#open(link)
    if (!isOpen && this.#whole === link) this.#whole = null
    return isOpen
  }

  #open({ attribs }: Element): boolean {
    const href = attribs['href'] ?? ''
    const url = this.#page.resolve(href)
    if (url === null) return false
    // A link to a footnote, or to a section of another page, leads elsewhere without its fragment.
    const hash = href.includes('#') ? (URL.parse(this.#page.identify(href))?.hash ?? '') : ''
    const [fragment = ''] = hash.split(TEXT_HASH, 1)
    const target = fragment.length > 1 && fragment.length <= LONGEST_HASH ? url + fragment : url
    return this.#inline.open('link', '[', `](${this.#destination(target, attribs['title'])})`)
  }

  #isLeftOut(element: Element): boolean {
    return isLeftOut(element) || !this.#keeps(element)
  }

  /** The name of a link that shows only an icon. */
  #nameOf({ attribs }: Element): string {
    return escapeText(
      collapse(attribs['title'] ?? attribs['aria-label'] ?? ''),
      this.#cell !== null,
    )
  }

  #image({ attribs }: Element): void {
    const source = [attribs['src'], attribs['data-src']].find(
      (address) => address !== undefined && address !== '' && !address.startsWith('data:'),
    )
    const url = source === undefined ? null : this.#page.resolve(source)
    const words = escapeText(collapse(attribs['alt'] ?? ''), this.#cell !== null)
    // The image's text is kept even if only a script knows its address.
    if (url !== null || words !== '')
      this.#inline.raw(`![${words}](${this.#destination(url ?? '', attribs['title'])})`)
  }

  #destination(url: string, title: string | undefined): string {
    const target = destination(url, title)
    return this.#cell === null ? target : target.replaceAll('|', '\\|')
  }

  /** @returns False, because the whole element is read here */
  #code(element: Element, isBlock: boolean): boolean {
    let text = ''
    let language = LANGUAGE.exec(element.attribs['class'] ?? '')?.[1] ?? ''
    walk(
      element,
      (child) => {
        if (isText(child)) text += child.data
        else if (isTag(child)) {
          if (isLeftOut(child)) return false
          if (child.name === 'br') text += '\n'
          language ||= LANGUAGE.exec(child.attribs['class'] ?? '')?.[1] ?? ''
        }
        return true
      },
      (child) => {
        if (isTag(child) && BLOCK.has(child.name)) text += '\n'
      },
    )
    const trimmed = replaceEach(text, /\r\n?/g, '\n')
      .replace(/^(?:[\t ]*\n)+/, '')
      .trimEnd()
    if (isBlock && this.#cell === null && this.#heading === '') {
      if (trimmed !== '') this.#blocks.write(codeBlock(trimmed, language))
      this.#endBlock(element)
    } else {
      this.#codeSpan(text)
    }
    return false
  }

  /** Line breaks at the edges come from the source, but spaces may belong to the code. */
  #codeSpan(text: string): void {
    const [start, end] = [text.length - text.trimStart().length, text.trimEnd().length]
    const isLead = text.slice(0, start).includes('\n')
    const isTail = text.slice(end).includes('\n')
    const code = text.slice(isLead ? start : 0, isTail && start < end ? end : text.length)
    if (isLead) this.#inline.space()
    if (code !== '') this.#inline.code(replaceEach(code, /[\t\n\f\r ]+/g, ' '), this.#cell !== null)
    if (isTail) this.#inline.space()
  }
}
