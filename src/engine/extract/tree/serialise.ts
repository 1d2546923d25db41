import { GrowingText, replaceEach } from '../../../kernel/text/long-text.ts'
import { isTag, isText, type ChildNode, type Element, type ParentNode } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { atOnce, type Parts } from '../page/in-turns.ts'
import { walkParts } from './text-content.ts'

/** Elements without an end tag. */
export const VOID: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
])
const RAW = new Set([
  'script',
  'style',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
])

/** Options for writing a tree as HTML. */
export interface SerialiseOptions {
  /** Returns false to leave out an element and everything below it. */
  readonly keep?: (element: Element) => boolean
  /** Returns the value to write for an attribute, or `null` to leave it out. */
  readonly attribute?: (name: string, value: string) => string | null
}

/**
 * Writes a node's children as HTML (HTML Standard, "serializing HTML fragments"), without
 * recursion. Comments are left out.
 */
export function innerHtml(
  node: ParentNode,
  budget: PageBudget,
  options: SerialiseOptions = {},
): string {
  return atOnce(innerParts(node, budget, options))
}

/** Like {@link innerHtml} in parts. */
export function* innerParts(
  node: ParentNode,
  budget: PageBudget,
  options: SerialiseOptions = {},
): Parts<string> {
  const html = new GrowingText()
  let nodes = 0
  let paid = 0
  const pay = (): void => {
    const due = 1 + 4 * nodes + (html.length >> 2)
    budget.work(due - paid)
    paid = due
  }
  const walked = walkParts(
    node,
    (child) => {
      nodes++
      if (isText(child)) html.add(isRaw(child.parent) ? child.data : escapeText(child.data))
      else if (isTag(child)) {
        if (options.keep?.(child) === false) return false
        html.add(openTag(child.name, child.attribs, options))
        if (child.children.length === 0 && !VOID.has(child.name)) html.add(`</${child.name}>`)
      }
      return true
    },
    (child: ChildNode) => {
      if (isTag(child)) html.add(`</${child.name}>`)
    },
  )
  while (walked.next().done !== true) {
    pay()
    yield
  }
  pay()
  return html.toString()
}

/** Writes an element with its children as HTML. */
export function outerHtml(
  element: ParentNode,
  budget: PageBudget,
  options: SerialiseOptions = {},
): string {
  return atOnce(outerParts(element, budget, options))
}

/** Like {@link outerHtml} in parts. */
export function* outerParts(
  element: ParentNode,
  budget: PageBudget,
  options: SerialiseOptions = {},
): Parts<string> {
  if (!isTag(element)) return yield* innerParts(element, budget, options)
  const open = openTag(element.name, element.attribs, options)
  return VOID.has(element.name)
    ? open
    : `${open}${yield* innerParts(element, budget, options)}</${element.name}>`
}

function openTag(
  name: string,
  attribs: Readonly<Record<string, string>>,
  options: SerialiseOptions,
): string {
  let tag = `<${name}`
  for (const key of Object.keys(attribs)) {
    const attribute = attribs[key] ?? ''
    const value = options.attribute === undefined ? attribute : options.attribute(key, attribute)
    if (value !== null) tag += ` ${key}="${escapeAttribute(value)}"`
  }
  return `${tag}>`
}

function isRaw(parent: ParentNode | null): boolean {
  return parent !== null && isTag(parent) && RAW.has(parent.name)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
}

const IN_TEXT = /[&<>\u00a0]/
const EACH_IN_TEXT = new RegExp(IN_TEXT, 'g')
const IN_ATTRIBUTE = /[&"<>\u00a0]/
const EACH_IN_ATTRIBUTE = new RegExp(IN_ATTRIBUTE, 'g')

const escapeOf = (character: string): string => ESCAPES[character] ?? character

/** Escapes text for HTML. Most texts have nothing to escape. */
export function escapeText(text: string): string {
  return IN_TEXT.test(text) ? replaceEach(text, EACH_IN_TEXT, escapeOf) : text
}

/** Escapes the value of an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return IN_ATTRIBUTE.test(text) ? replaceEach(text, EACH_IN_ATTRIBUTE, escapeOf) : text
}
