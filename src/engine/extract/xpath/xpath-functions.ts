import type { Element } from 'domhandler'
import { searchSteps } from '../page/page-budget.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { normalizeSpace } from '../select/nested-texts.ts'
import { isAttribute, isElement, isParent, nameOf, parentOf, stringOf } from './xpath-nodes.ts'
import type { XPathNode } from './xpath-nodes.ts'
import type { Tree } from '../tree/parse-tree.ts'
import type { FunctionName } from './xpath-parts.ts'
import { numberOf, textOfValue, type XPathValue } from './xpath-values.ts'

/** The context in which an expression is evaluated. */
export interface Context {
  readonly node: XPathNode
  readonly position: number
  readonly last: () => number
  readonly tree: Tree
  readonly budget: PageBudget
}

/** All functions but those that convert to a boolean, which need no values. */
type ValueFunction = Exclude<FunctionName, 'boolean' | 'not'>

/** Calls a function of XPath 1.0 with the values of its arguments. */
export function callFunction(
  name: ValueFunction,
  args: readonly XPathValue[],
  context: Context,
): XPathValue {
  const { budget, tree } = context
  const value = (index: number): XPathValue => args[index] ?? [context.node]
  const text = (index: number): string => textOfValue(value(index), budget)
  const number = (index: number): number => numberOf(value(index), budget)
  switch (name) {
    case 'position':
      return context.position
    case 'last':
      return context.last()
    case 'count':
      return nodesOf(name, value(0)).length
    case 'sum':
      return nodesOf(name, value(0)).reduce((sum, node) => sum + numberOf([node], budget), 0)
    case 'id':
      return elementsById(value(0), context)
    case 'name':
    case 'local-name': {
      const [first] = nodesOf(name, value(0))
      const whole = first === undefined ? '' : nameOf(first)
      return name === 'name' ? whole : whole.slice(whole.indexOf(':') + 1)
    }
    case 'namespace-uri': {
      const [first] = nodesOf(name, value(0))
      return first === undefined ? '' : namespaceOf(first, tree, budget)
    }
    case 'lang':
      return speaks(context.node, text(0).toLowerCase(), tree, budget)
    case 'true':
      return true
    case 'false':
      return false
    case 'number':
      return number(0)
    case 'floor':
      return Math.floor(number(0))
    case 'ceiling':
      return Math.ceil(number(0))
    case 'round':
      return Math.round(number(0))
    case 'string':
      return text(0)
    case 'starts-with':
      return text(0).startsWith(text(1))
    case 'string-length':
      return charactersOf(text(0), budget).length
    case 'normalize-space':
      return normalizeSpace(paid(text(0), budget))
    case 'concat':
      return args.map((_, index) => paid(text(index), budget)).join('')
    case 'contains':
    case 'substring-before':
    case 'substring-after': {
      const [whole, mark] = [text(0), text(1)]
      budget.work(searchSteps(whole, mark))
      const offset = whole.indexOf(mark)
      if (name === 'contains') return offset !== -1
      if (offset === -1) return ''
      return name === 'substring-before'
        ? whole.slice(0, offset)
        : whole.slice(offset + mark.length)
    }
    case 'substring':
      return substring(charactersOf(text(0), budget), number(1), args.length < 3 ? null : number(2))
    case 'translate': {
      const [from, to] = [text(1), text(2)]
      budget.work(MAP_STEPS * (from.length + to.length))
      return translate(paid(text(0), budget), from, to)
    }
  }
}

/** Steps to remember one letter of a map. */
const MAP_STEPS = 4

/** Pays for a text that is made from another. */
function paid(text: string, budget: PageBudget): string {
  budget.work(text.length)
  budget.make(text.length)
  return text
}

function charactersOf(text: string, budget: PageBudget): readonly string[] {
  budget.work(text.length)
  return [...text]
}

function nodesOf(name: FunctionName, value: XPathValue): readonly XPathNode[] {
  return typeof value === 'object' ? value : []
}

/** The characters from a position on, where the first position is 1. Both numbers are rounded. */
function substring(characters: readonly string[], from: number, length: number | null): string {
  const start = Math.round(from)
  const end = length === null ? Infinity : start + Math.round(length)
  // Comparisons with `NaN` are false.
  return characters.filter((_, index) => index + 1 >= start && index + 1 < end).join('')
}

function translate(text: string, from: string, to: string): string {
  const map = new Map<string, string>()
  const targets = [...to]
  for (const [index, char] of [...from].entries())
    if (!map.has(char)) map.set(char, targets[index] ?? '')
  return [...text].map((char) => map.get(char) ?? char).join('')
}

/** The elements whose `id` is a word of the text, or of the texts of the nodes. */
function elementsById(value: XPathValue, { tree, budget }: Context): readonly Element[] {
  const texts =
    typeof value === 'object'
      ? value.map((node) => stringOf(node, budget))
      : [textOfValue(value, budget)]
  const ids = new Set(texts.flatMap((text) => text.split(/[ \t\n\r]+/)))
  ids.delete('')
  budget.work(2 * tree.elements.length)
  return tree.elements.filter(({ attribs }) => {
    const id = attribs['id'] ?? attribs['xml:id']
    // If several elements have the id, the first counts.
    return id !== undefined && ids.delete(id)
  })
}

/** The namespace that is declared for a node's prefix. Trees of HTML have no namespaces. */
function namespaceOf(node: XPathNode, tree: Tree, budget: PageBudget): string {
  const name = nameOf(node)
  const colon = name.indexOf(':')
  // An attribute without a prefix has no namespace.
  if (name === '' || (colon === -1 && isAttribute(node))) return ''
  const prefix = name.slice(0, Math.max(0, colon))
  if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace'
  return above(node, prefix === '' ? ['xmlns'] : [`xmlns:${prefix}`], tree, budget) ?? ''
}

/** True if the text of a node is in a language, according to the nearest `xml:lang`. */
function speaks(node: XPathNode, language: string, tree: Tree, budget: PageBudget): boolean {
  const spoken = above(node, tree.xml ? ['xml:lang'] : ['lang', 'xml:lang'], tree, budget)
  const lower = spoken?.toLowerCase() ?? ''
  return lower !== '' && (lower === language || lower.startsWith(`${language}-`))
}

/** The nearest value of an attribute on a node or above it. */
function above(
  node: XPathNode,
  names: readonly string[],
  tree: Tree,
  budget: PageBudget,
): string | undefined {
  for (
    let ancestor: XPathNode | null = node;
    ancestor !== null;
    ancestor = parentOf(ancestor, tree)
  ) {
    budget.work(2)
    if (!isParent(ancestor) || !isElement(ancestor)) continue
    for (const name of names) {
      const value = Object.hasOwn(ancestor.attribs, name) ? ancestor.attribs[name] : undefined
      if (value !== undefined) return value
    }
  }
  return undefined
}
