import { isTag, isText } from 'domhandler'
import type { Element } from 'domhandler'
import { QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { BLOCK, textOf, textStart } from '../tree/text-content.ts'
import { nameOf } from './beside.ts'
import { weightOf, type Weight } from './page-weights.ts'

/**
 * Names of elements that are in prose but do not belong to it. Themes and content management
 * systems use them, not only single sites.
 */
const WITHIN_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(byline|dateline|related\w*|recirc\w*|popular|trending|read-?more|` +
    'more-?(?:on|from|stories|news|articles)|tags?|tag-?list|post-?meta|entry-?meta|' +
    String.raw`article-?meta|meta|share\w*|sharedaddy|social\w*|newsletter\w*|promo\w*|subscribe\w*|` +
    String.raw`comments?\w*|respond|jp-relatedposts|addtoany\w*|author|author-?(?:info|box|bio)|bio|` +
    String.raw`credits?|toc|cta(?:-?\w*)?|ads?|advert\w*|filters?|facets?|refine\w*|sort\w*|` +
    String.raw`content-?blocker|teasers|footer|donat\w*|disclaimer|copyright|upsells?|cross-?sells?|` +
    String.raw`reviews?|message-(?:cell--)?user|c?author-?pane\w*|user-?(?:info|details|card|meta|stats|` +
    String.raw`title|banner)|poster(?:-?info)?|post-?profile|signature|c?topic-?overview\w*|` +
    String.raw`ipsentry__author\S*)(?:$|[\s_-])`,
  'i',
)
const COMMENT = /^comment/
const HEADING = /^h[1-6]$/
const LIST = /^[ou]l$/
const SUBHEADING = /^h[2-6]$/
/** Beginnings of lines that only lead to another page, in several languages. */
const POINTER = new RegExp(
  String.raw`^[^\p{L}]{0,5}(?:related(?: (?:article|content|coverage|link|post|reading|stor(?:y|ies)|` +
    'topic|video)s?)?|read (?:also|more|next|the full (?:article|story)|this next)|also (?:on|' +
    'read|see)|see (?:also|more)|more (?:from|on|stories|reading)|watch(?: (?:also|more|next|' +
    'now))?|recommended|you (?:may|might) also (?:like|want)|don.t miss|lesen sie (?:auch|' +
    'hier|mehr|dazu)|lies auch|mehr (?:dazu|zum thema|lesen)|auch interessant|siehe auch|' +
    'zum thema|lire (?:aussi|la suite|également)|à lire(?: aussi)?|voir aussi|lee (?:también|' +
    'además|más)|leer (?:también|más)|te (?:puede|podría) interesar|ver también|leggi anche|' +
    'ti potrebbe interessare|vedi anche|lees ook|lees meer|bekijk ook|leia (?:também|mais)|' +
    'veja também|baca juga|läs (?:också|mer)|les også|læs også|czytaj (?:też|także|więcej)|' +
    String.raw`zobacz (?:też|także)|читайте также|смотрите также)(?![\p{L}])`,
  'iu',
)
const LONGEST_POINTER = 40
/** Elements whose repetitions are kept: code, quotations and tables. */
const REPEATING = new Set(['pre', 'blockquote', 'table'])
/** Maximum length of a line that may be repeated, such as a heading or a label. */
const SHORTEST_REPEATED = 100
/** Parts of lists and tables are not judged by their links, only the whole list or table is. */
const PARTS = /^(?:h[1-6]|td|th|tr|tbody|li|dt|dd)$/
/** Share of links above which the page is a list of links, which are its content. */
const MOST_LINKED = 0.5
/** Share of links above which a block is navigation. */
const LINKED_BLOCK = 0.5
/** Maximum number of characters outside the link of a paragraph that counts as a link only. */
const FEW_MARKS = 2
/** Text beside a link up to this length is a date, a price or the like. */
const LONGEST_FACT = 20
/** Maximum share of the content that may be left out as one part. */
const LARGEST_BLOCK = 0.25
/** From this share of the content on, elements with a name belong to the content. */
const LARGEST_NAME = 0.5

/** Steps to check whether an element belongs to the content. */
const VISIT_STEPS = 10

const sizeOf = ({ text, linked }: Weight): number => text + linked

/**
 * Leaves out parts that do not belong to the content: blocks of links in prose, blocks whose names
 * mark them as such, and headings with nothing left below them. A page of links keeps its links,
 * and a forum keeps its comments. A list of links that is too large to be left out as one part
 * stays whole, unless the page is an article.
 */
export function* leaveOutWithin(
  root: Weight,
  weights: readonly Weight[],
  { ofForum, ofArticle }: { readonly ofForum: boolean; readonly ofArticle: boolean },
  budget: PageBudget,
): Parts<void> {
  const total = sizeOf(root)
  if (total === 0 || root.linked > MOST_LINKED * total) return
  const named: { readonly weight: Weight; readonly word: string }[] = []
  const sizes = new Map<string, number>()
  let listEnd = -1
  yield* forEachBelow(root, weights, budget, (weight) => {
    const { element } = weight
    const size = sizeOf(weight)
    if (!ofArticle && size > LARGEST_BLOCK * total && weight.linked > LINKED_BLOCK * size)
      listEnd = Math.max(listEnd, element.endIndex ?? -1)
    if (!BLOCK.has(element.name) || size > LARGEST_BLOCK * total) return true
    if (
      size > 0 &&
      (element.startIndex ?? 0) > listEnd &&
      (weight.links > 1 || element.name !== 'p' || weight.text <= FEW_MARKS) &&
      weight.linked > LINKED_BLOCK * size &&
      !PARTS.test(element.name) &&
      !isItemTitle(weight, total) &&
      !hasOwnText(weight, weights)
    ) {
      weight.isOut = true
      return false
    }
    if (weight.linked > LINKED_BLOCK * size && isPointer(element, budget)) {
      weight.isOut = true
      return false
    }
    if (element.name === 'article' || HEADING.test(element.name)) return true
    const word = WITHIN_NAME.exec(nameOf(element))?.[1]?.toLowerCase()
    if (word === undefined || (ofForum && COMMENT.test(word))) return true
    named.push({ weight, word })
    sizes.set(word, (sizes.get(word) ?? 0) + size)
    return false
  })
  for (const { weight, word } of named)
    if ((sizes.get(word) ?? 0) <= LARGEST_NAME * total) weight.isOut = true
  yield* forEachBelow(root, weights, budget, (weight) => {
    if (SUBHEADING.test(weight.element.name) && isOrphan(weight, weights)) weight.isOut = true
    return true
  })
}

/** True for the only link of an item of prose, if it is a heading: the title of the item. */
function isItemTitle({ element, parent, links }: Weight, total: number): boolean {
  return (
    links === 1 &&
    parent !== null &&
    sizeOf(parent) <= LARGEST_BLOCK * total &&
    parent.prose > parent.linked &&
    (element.name === 'header' ||
      element.children.some((child) => isTag(child) && HEADING.test(child.name)))
  )
}

/** True for a list if most of its items have more text than their link. */
function hasOwnText({ element }: Weight, weights: readonly Weight[]): boolean {
  if (!LIST.test(element.name)) return false
  let items = 0
  let explained = 0
  for (const child of element.children) {
    const item = weightOf(weights, child)
    if (item === null || item.isOut || sizeOf(item) === 0) continue
    items++
    if (item.linked > 0 && item.text > LONGEST_FACT) explained++
  }
  return explained > items / 2
}

/** True for a line such as `Read also:` with a link to another page. */
function isPointer(element: Element, budget: PageBudget): boolean {
  return POINTER.test(textStart(element, LONGEST_POINTER, budget))
}

/**
 * Leaves out the paragraphs of an element if all of them have occurred before, because many pages
 * contain a part twice, for wide and for narrow screens.
 */
export function* leaveOutRepeated(
  root: Weight,
  weights: readonly Weight[],
  budget: PageBudget,
): Parts<void> {
  const seen = new Map<string, Weight | null>()
  const repeated = new Map<Weight, Weight[]>()
  const fresh = new Set<Weight>()
  yield* forEachBelow(root, weights, budget, (weight) => {
    const { element, parent, hasBlocks, run, runLinked } = weight
    if (REPEATING.has(element.name) || parent === null) return false
    if (hasBlocks || run + runLinked < SHORTEST_REPEATED || !BLOCK.has(element.name)) return true
    const text = textOf(element, budget)
    const before = seen.get(text)
    if (before === undefined) seen.set(text, parent)
    const others = repeated.get(parent)
    if (before === undefined || before === parent) fresh.add(parent)
    else if (others === undefined) repeated.set(parent, [weight])
    else others.push(weight)
    return false
  })
  for (const [parent, parts] of repeated)
    if (!fresh.has(parent)) for (const weight of parts) weight.isOut = true
}

/** Visits the elements below one that are not left out. `visit` returns false to skip a subtree. */
function* forEachBelow(
  root: Weight,
  weights: readonly Weight[],
  budget: PageBudget,
  visit: (weight: Weight) => boolean,
): Parts<void> {
  const last = root.element.endIndex ?? -1
  const pass = new QuickPass(budget, VISIT_STEPS)
  for (let index = (root.element.startIndex ?? 0) + 1; index <= last; index++) {
    if (pass.ends()) yield
    const weight = weights[index]
    if (weight === undefined) continue
    if (weight.isOut || !visit(weight)) index = weight.element.endIndex ?? index
  }
}

/** True for a heading if everything up to the next heading of its level is left out. */
function isOrphan(heading: Weight, weights: readonly Weight[]): boolean {
  let hasLost = false
  for (let next = heading.element.next; next !== null; next = next.next) {
    if (isText(next) && next.data.trim() !== '') return false
    const weight = weightOf(weights, next)
    if (weight === null) continue
    const { name } = weight.element
    if (HEADING.test(name) && name <= heading.element.name) break
    if (!weight.isOut && sizeOf(weight) > 0) return false
    if (weight.isOut && sizeOf(weight) + weight.all > 0) hasLost = true
  }
  return hasLost
}
