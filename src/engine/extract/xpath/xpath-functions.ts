import type { Element } from 'domhandler'
import type { Parts } from '../page/in-turns.ts'
import { searchSteps } from '../page/page-budget.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { normalizeSpace, normalizeSpaceParts, wordSlices } from '../select/nested-texts.ts'
import {
  isAttribute,
  isElement,
  isParent,
  nameOf,
  parentOf,
  stringOf,
  stringParts,
} from './xpath-nodes.ts'
import type { XPathNode } from './xpath-nodes.ts'
import type { Tree } from '../tree/parse-tree.ts'
import type { FunctionName } from './xpath-parts.ts'
import { numberOf, textOfValue, toNumber, type XPathValue } from './xpath-values.ts'

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

/**
 * Calls a function of XPath 1.0 with the values of its arguments. `texts`: those arguments as
 * texts, if they are made.
 */
export function callFunction(
  name: ValueFunction,
  args: readonly XPathValue[],
  context: Context,
  texts: readonly (string | undefined)[] = [],
): XPathValue {
  const { budget, tree } = context
  const value = (index: number): XPathValue => args[index] ?? [context.node]
  const text = (index: number): string => texts[index] ?? textOfValue(value(index), budget)
  const number = (index: number): number => {
    const made = texts[index]
    return made === undefined ? numberOf(value(index), budget) : toNumber(made)
  }
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
      return elementsById(new Set(textsOf(value(0), budget).flatMap(wordsOf)), context)
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
      return lengthOf(paidAs(text(0), budget))
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
      return substring(paidAs(text(0), budget), number(1), args.length < 3 ? null : number(2))
    case 'translate': {
      const [from, to] = [text(1), text(2)]
      budget.work(MAP_STEPS * (from.length + to.length))
      return translate(paid(text(0), budget), translationOf(from, to))
    }
  }
}

/** A longer text is made from another in parts, each of so many characters. */
const LONG = 100_000
/** Functions that are asked about nodes, and not about their text. */
const OF_NODES: ReadonlySet<ValueFunction> = new Set<ValueFunction>([
  'count',
  'name',
  'local-name',
  'namespace-uri',
  'position',
  'last',
  'true',
  'false',
])

/** Like {@link callFunction} in parts. */
export function* callParts(
  name: ValueFunction,
  args: readonly XPathValue[],
  context: Context,
): Parts<XPathValue> {
  const { budget } = context
  if (OF_NODES.has(name)) return callFunction(name, args, context)
  const values = args.length === 0 ? [[context.node]] : args
  if (name === 'sum' || name === 'id') return yield* callOnNodes(name, values[0] ?? '', context)
  const texts: (string | undefined)[] = []
  for (const value of values) {
    const [first] = typeof value === 'object' ? value : []
    texts.push(first === undefined ? undefined : yield* stringParts(first, budget))
  }
  if (name !== 'normalize-space' && name !== 'translate')
    return callFunction(name, values, context, texts)
  const [text = '', from = '', to = ''] = values.map(
    (value, index) => texts[index] ?? textOfValue(value, budget),
  )
  if (text.length <= LONG) return callFunction(name, values, context, [text, from, to])
  return name === 'normalize-space'
    ? yield* normalizeSpaceParts(paidAhead(text, budget), (length) => budget.did(length))
    : yield* translatedParts(text, from, to, budget)
}

/** Steps that a turn counts for each character of words. */
const WORD_STEPS = 2

function* callOnNodes(name: 'sum' | 'id', value: XPathValue, context: Context): Parts<XPathValue> {
  const { budget } = context
  if (typeof value !== 'object') return callFunction(name, [value], context)
  let sum = 0
  const words = new Set<string>()
  for (const node of value) {
    const text = yield* stringParts(node, budget)
    if (name === 'sum') sum += toNumber(text)
    else
      for (const slice of wordSlices(text)) {
        for (const word of wordsOf(slice)) words.add(word)
        budget.unpaid(WORD_STEPS * slice.length)
        yield
      }
    yield
  }
  return name === 'sum' ? sum : elementsById(words, context)
}

/** Pays for a text that is made from another in parts. */
function paidAhead(text: string, budget: PageBudget): string {
  budget.workAhead(text.length)
  budget.make(text.length)
  return text
}

function* translatedParts(
  text: string,
  from: string,
  to: string,
  budget: PageBudget,
): Parts<string> {
  budget.work(MAP_STEPS * (from.length + to.length))
  paidAhead(text, budget)
  const map = translationOf(from, to)
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const end = nextCharacter(text, Math.min(start + LONG, text.length) - 1)
    pieces.push(translate(text.slice(start, end), map))
    budget.did(end - start)
    yield
    start = end
  }
  return pieces.join('')
}

/** Steps to remember one letter of a map. */
const MAP_STEPS = 4

/** Pays for a text that is made from another. */
function paid(text: string, budget: PageBudget): string {
  budget.work(text.length)
  budget.make(text.length)
  return text
}

/** Pays for a text whose characters are counted. */
function paidAs(text: string, budget: PageBudget): string {
  budget.work(text.length)
  return text
}

/** The number of characters. One of two units is one character. */
function lengthOf(text: string): number {
  let length = 0
  for (let position = 0; position < text.length; position = nextCharacter(text, position)) length++
  return length
}

function nextCharacter(text: string, position: number): number {
  const unit = text.charCodeAt(position)
  if (unit < 0xd800 || unit > 0xdbff) return position + 1
  const next = text.charCodeAt(position + 1)
  return position + (next >= 0xdc00 && next <= 0xdfff ? 2 : 1)
}

function nodesOf(name: FunctionName, value: XPathValue): readonly XPathNode[] {
  return typeof value === 'object' ? value : []
}

/** The characters from a position on, where the first position is 1. Both numbers are rounded. */
function substring(text: string, from: number, length: number | null): string {
  const start = Math.round(from)
  const end = length === null ? Infinity : start + Math.round(length)
  let first: number | null = null
  let position = 0
  // Comparisons with `NaN` are false.
  for (let number = 1; position < text.length && (number < start || number < end); number++) {
    if (first === null && number >= start && number < end) first = position
    position = nextCharacter(text, position)
  }
  return first === null ? '' : text.slice(first, position)
}

/** The letter that each one becomes. */
function translationOf(from: string, to: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  const targets = [...to]
  for (const [index, char] of [...from].entries())
    if (!map.has(char)) map.set(char, targets[index] ?? '')
  return map
}

function translate(text: string, map: ReadonlyMap<string, string>): string {
  return [...text].map((char) => map.get(char) ?? char).join('')
}

function textsOf(value: XPathValue, budget: PageBudget): readonly string[] {
  return typeof value === 'object'
    ? value.map((node) => stringOf(node, budget))
    : [textOfValue(value, budget)]
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[ \t\n\r]+/)
}

/** The elements whose `id` is one of some words, of which the set keeps those that none has. */
function elementsById(ids: Set<string>, { tree, budget }: Context): readonly Element[] {
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
