import { isTag, isText, type Element } from 'domhandler'
import { inSlices, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { BLOCK } from '../tree/text-content.ts'
import { NO_ATTRIBUTES } from '../tree/tag-attributes.ts'
import type { PageKind } from './page-kind.ts'
import { isHidden, nameOf, placementOf, sectionWord, type Placement } from './beside.ts'

/** Measures of an element's content. Parts that are left out ({@link Weight.isOut}) are not counted. */
export interface Weight {
  readonly element: Element
  readonly parent: Weight | null
  readonly placement: Placement
  /** True for an `<article>` or `<main>`, and all below it. */
  readonly isInContent: boolean
  /** True for a part that a tab or a button shows. */
  readonly isPanel: boolean
  /** Characters directly in the element. */
  readonly own: number
  /** Number of characters outside links, without elements that are never content. */
  all: number
  /** Characters outside links. */
  text: number
  /** Characters inside links. */
  linked: number
  links: number
  /** Characters of the element's own line or paragraph, outside and inside links. */
  run: number
  runLinked: number
  /** Characters in paragraphs. Short ones and those with many links count less. */
  prose: number
  /** True if there are blocks below. */
  hasBlocks: boolean
  /** True if the element and everything below it are left out of the content. */
  isOut: boolean
}

/** Steps to weigh an element: its names are checked against some patterns. */
const ELEMENT_STEPS = 40
const HEADING = /^h[1-6]$/
/** Shorter lines do not count as prose. */
const SHORT_RUN = 25
/** A paragraph of this length counts in full. */
const FULL_RUN = 250
/** From this share of the text on, an element counts as content although its name says otherwise. */
const MOST_TEXT = 0.5
/** The same for a hidden element, because some pages are hidden until their scripts show them. */
const MOST_HIDDEN = 0.75
const FEW_CHARACTERS = 200
/** Minimum prose of a page outside its comments. With less, the comments are its content. */
const LEAST_PROSE = 300
/** Minimum number of sections with one name. For a single section, the name is taken literally. */
const FEWEST_SECTIONS = 3
/** Roles of elements that a button opens over the page. They are not parts of its content. */
const NO_PANEL = new Set(['listbox', 'tooltip', 'tree'])
/** Minimum prose of a hidden part that a button opens. A menu, a cart or a message has less. */
const LEAST_PANEL_PROSE = 10
/** Matches characters of scripts in which one character counts as several letters. */
const IDEOGRAPH = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/
const LETTERS_PER_IDEOGRAPH = 2.5

/**
 * Weighs all elements of a tree, in document order. `length`: the number of characters from which
 * it was made.
 */
export function* weighTree(
  { elements }: Tree,
  body: Element,
  length: number,
  budget: PageBudget,
  { isForum, isArticle, isProduct }: PageKind,
): Parts<Weight[]> {
  budget.work(length >> 2)
  const weights: Weight[] = []
  yield
  const controlled = yield* controlledIds(elements, budget)
  for (const slice of inSlices(elements)) {
    budget.work(ELEMENT_STEPS * slice.length)
    for (const element of slice)
      weights.push(newWeight(element, weightOf(weights, element.parent), controlled))
    yield
  }
  yield* countAll(weights, budget)
  const whole = weightOf(weights, body)?.all ?? 0
  const pass = new QuickPass(budget)
  for (const weight of weights) {
    if (pass.ends()) yield
    weight.isOut =
      weight.placement === 'beside' ? !isMostOf(weight, whole) : weight.placement !== 'content'
  }
  if (!isArticle) yield* keepSections(weights, whole, budget)
  yield
  yield* countWeights(weights, budget)
  const panels: Weight[] = []
  const comments: Weight[] = []
  for (const weight of weights) {
    if (pass.ends()) yield
    if (isShortPanel(weight) && !isMostOf(weight, whole)) panels.push(weight)
    if (weight.placement === 'comments') comments.push(weight)
  }
  if (panels.length > 0) {
    for (const weight of panels) weight.isOut = true
    yield* countWeights(weights, budget)
  }
  const content = weightOf(weights, body)
  if (isProduct && content !== null && (yield* leaveOutReviews(weights, content, budget)))
    yield* countWeights(weights, budget)
  if (comments.length > 0 && (isForum || (content?.prose ?? 0) < LEAST_PROSE)) {
    for (const weight of comments) weight.isOut = false
    yield* countWeights(weights, budget)
  }
  return weights
}

/** Names of the reviews of a product, and of other products. */
const REVIEWS = new RegExp(
  String.raw`(?:^|[\s_-])(?:(?:customer|product|user)?-?(?:reviews?|ratings?)(?:-?(?:list|section|` +
    String.raw`widget|container|wrapper|content|tab))?|bazaarvoice|yotpo\S*|trustpilot\S*|upsells?|` +
    String.raw`cross-?sells?|related-?products?|recently-?viewed|you-?may-?(?:also-?)?like)(?:$|[\s_-])`,
  'i',
)
/** Minimum number of characters that a product has without them. */
const LEAST_PRODUCT = 300
/** With a larger share of the text, reviews are the content of the page. */
const MOST_REVIEWS = 0.9

/** Leaves the reviews out of the page of a product. @returns True if it left something out */
function* leaveOutReviews(
  weights: readonly Weight[],
  body: Weight,
  budget: PageBudget,
): Parts<boolean> {
  const reviews: Weight[] = []
  const pass = new QuickPass(budget)
  let rest = body.all
  for (let index = 0; index < weights.length; index++) {
    if (pass.ends()) yield
    const weight = weights[index]
    if (weight === undefined) continue
    const { element, isOut, all } = weight
    if (!isOut) {
      if (!BLOCK.has(element.name) || /^(?:body|main)$/.test(element.name)) continue
      if (!REVIEWS.test(nameOf(element))) continue
      if (rest - all < LEAST_PRODUCT) continue
      reviews.push(weight)
    }
    rest -= all
    index = element.endIndex ?? index
  }
  const size = reviews.reduce((sum, { text, linked }) => sum + text + linked, 0)
  if (size === 0 || size > MOST_REVIEWS * (body.text + body.linked)) return false
  for (const weight of reviews) weight.isOut = true
  return true
}

/** Returns the weight of a node; `null` for a node that is not an element. */
export function weightOf(
  weights: readonly Weight[],
  node: Element['parent'] | Element['next'],
): Weight | null {
  return node !== null && isTag(node) ? (weights[node.startIndex ?? -1] ?? null) : null
}

/** True for an element that has most of the text. It is the content, whatever its name says. */
function isMostOf({ element, all }: Weight, whole: number): boolean {
  const least = isHidden(element) ? MOST_HIDDEN : MOST_TEXT
  return whole >= FEW_CHARACTERS && all >= least * whole
}

/** True for a hidden part that a button opens, if it has too little prose to be an answer. */
function isShortPanel({ element, isPanel, isOut, prose }: Weight): boolean {
  return (
    isPanel &&
    !isOut &&
    prose < LEAST_PANEL_PROSE &&
    element.attribs['role'] !== 'tabpanel' &&
    (isHidden(element) || element.attribs['aria-hidden'] === 'true')
  )
}

/** The ids of the elements that tabs, and buttons that open something, control. */
function* controlledIds(
  elements: readonly Element[],
  budget: PageBudget,
): Parts<ReadonlySet<string>> {
  const ids = new Set<string>()
  const pass = new QuickPass(budget)
  for (const { name, attribs } of elements) {
    if (pass.ends()) yield
    const controls = attribs === NO_ATTRIBUTES ? undefined : attribs['aria-controls']
    if (controls === undefined) continue
    const role = attribs['role']
    const isButton = name === 'button' || name === 'summary' || role === 'button'
    if (role === 'tab' || (isButton && attribs['aria-expanded'] !== undefined))
      for (const id of controls.split(/\s/)) ids.add(id)
  }
  return ids
}

/** True for a part that a tab or a button shows, such as the answer to a question. */
function isPanelOf({ attribs }: Element, controlled: ReadonlySet<string>): boolean {
  if (attribs === NO_ATTRIBUTES) return false
  const { id, role = '' } = attribs
  if (NO_PANEL.has(role)) return false
  return role === 'tabpanel' || (id !== undefined && controlled.has(id))
}

/**
 * Some pages give all their sections one name that usually marks other parts, such as `banner` or
 * `promo`. If these elements have as much text as the rest of the page, they are content.
 */
function* keepSections(weights: readonly Weight[], whole: number, budget: PageBudget): Parts<void> {
  const named = new Map<string, { readonly parts: Weight[]; size: number }>()
  let rest = whole
  const pass = new QuickPass(budget)
  for (let index = 0; index < weights.length; index++) {
    if (pass.ends()) yield
    const weight = weights[index]
    if (weight === undefined || !weight.isOut) continue
    const { element, placement, all } = weight
    index = element.endIndex ?? index
    rest -= all
    if (placement !== 'beside' || all === 0 || isHidden(element)) continue
    const word = sectionWord(element)
    if (word === null) continue
    const group = named.get(word) ?? { parts: [], size: 0 }
    group.parts.push(weight)
    group.size += all
    named.set(word, group)
  }
  for (const { parts, size } of named.values())
    if (parts.length >= FEWEST_SECTIONS && size >= Math.max(FEW_CHARACTERS, rest))
      for (const weight of parts) weight.isOut = false
}

function newWeight(
  element: Element,
  parent: Weight | null,
  controlled: ReadonlySet<string>,
): Weight {
  const isBelow = parent !== null && parent.isInContent
  const isPanel = isPanelOf(element, controlled)
  const placement = placementOf(element, isBelow, isPanel)
  let own = 0
  if (placement !== 'never')
    for (const child of element.children) if (isText(child)) own += lengthOf(child.data.trim())
  return {
    element,
    parent,
    placement,
    isInContent: isBelow || element.name === 'article' || element.name === 'main',
    isPanel,
    own,
    all: 0,
    text: 0,
    linked: 0,
    links: 0,
    run: 0,
    runLinked: 0,
    prose: 0,
    hasBlocks: false,
    isOut: false,
  }
}

function lengthOf(text: string): number {
  return IDEOGRAPH.test(text) ? text.length * LETTERS_PER_IDEOGRAPH : text.length
}

// Children come after their parents in document order, so going backwards every element is
// complete when it is added to its parent.
function* countAll(weights: readonly Weight[], budget: PageBudget): Parts<void> {
  const pass = new QuickPass(budget)
  for (let index = weights.length - 1; index >= 0; index--) {
    if (pass.ends()) yield
    const weight = weights[index]
    if (weight === undefined || weight.placement === 'never' || weight.element.name === 'a')
      continue
    weight.all += weight.own
    if (weight.parent !== null) weight.parent.all += weight.all
  }
}

/** Sums all weights up again, without the parts that are left out. */
export function* countWeights(weights: readonly Weight[], budget: PageBudget): Parts<void> {
  const pass = new QuickPass(budget)
  for (const weight of weights) {
    if (pass.ends()) yield
    weight.text = weight.run = weight.isOut ? 0 : weight.own
    weight.linked = weight.links = weight.runLinked = weight.prose = 0
    weight.hasBlocks = false
  }
  for (let index = weights.length - 1; index >= 0; index--) {
    if (pass.ends()) yield
    const weight = weights[index]
    if (weight === undefined || weight.isOut) continue
    if (weight.element.name === 'a') {
      weight.linked += weight.text
      weight.runLinked += weight.run
      weight.text = weight.run = 0
      weight.links++
    }
    const isBlock = BLOCK.has(weight.element.name)
    if (isBlock && weight.run > SHORT_RUN && !HEADING.test(weight.element.name))
      weight.prose +=
        (weight.run * Math.min(1, weight.run / FULL_RUN) * weight.run) /
        (weight.run + weight.runLinked)
    const { parent } = weight
    if (parent === null || parent.isOut) continue
    parent.text += weight.text
    parent.linked += weight.linked
    parent.links += weight.links
    parent.prose += weight.prose
    if (weight.element.name !== 'br') parent.hasBlocks ||= isBlock || weight.hasBlocks
    if (isBlock) continue
    parent.run += weight.run
    parent.runLinked += weight.runLinked
  }
}
