import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { isList, isObject } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import { SlicePay, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { BLOCK, collapse, readableText, textStart } from '../tree/text-content.ts'
import { compileJsonPath, matchesIn } from '../value/json-path.ts'
import { parseDate } from '../value/parse-date.ts'
import { isHidden, nameOf } from './beside.ts'

/** One comment. Its text has one line for each block. */
type Comment = {
  readonly author: string | null
  readonly date: string | null
  readonly text: string
}

const MOST_COMMENTS = 1_000
/** Steps to check the names of an element. */
const NAMING_STEPS = 20
const ITEM_ID = /^(?:[a-z]{1,12}[-_])?comment[-_]?[\w-]{0,40}\d[\w-]{0,40}$/i
const ITEM_NAME =
  /(?:^|\s)(?:[a-z]{1,20}[-_]{1,2})?comment(?:[-_]{0,2}(?:item|entry|box|card|node|thread|single))?(?=\s|$)/i
const ITEM_TYPE = /schema\.org\/(?:Comment|UserComments)$/
/** Names of lists of the newest comments. Such lists are on all pages of a site. */
const OTHERS_NAME = /(?:^|[\s_-])(?:recent|latest|newest|neueste|letzte)[\s_-]?comments?/i
const LIST_NAME = /(?:^|[\s_-])comments?(?:[-_]?list)?(?:$|[\s_-])|commentlist/i
const AUTHOR_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(?:author|autor|auteur|fn|user-?name|nick(?:name)?|commenter|user|poster|` +
    String.raw`byline|writer|name)(?:$|[\s_-])`,
  'i',
)
const DATE_NAME =
  /(?:^|[\s_-])(?:date(?:time)?|datum|fecha|time(?:stamp|ago)?|published|posted|ago|when)(?:$|[\s_-])/i
const CONTENT_NAME = /(?:^|[\s_-])(?:content|body|text|message|description)(?:$|[\s_-])/i
/** Elements in a comment that are not its text. */
const META_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(?:meta(?:data)?|author|avatar|user-?name|fn|date|time|timestamp|reply|` +
    String.raw`replies|actions?|controls|vote\w*|votes?|likes?|share|report|flag|permalink|badge|` +
    String.raw`respond|says|awaiting-moderation|edit-?link)(?:$|[\s_-])`,
  'i',
)
const META = new Set(['form', 'button', 'nav', 'footer', 'header', 'time', 'textarea', 'svg'])
/** Words after a name on blogs. */
const AFTER_NAME = new RegExp(
  String.raw`\s(?:says|said|wrote|sagt|sagte|schreibt|schrieb|a écrit|a dit|dit|dice|dijo|escribió|` +
    String.raw`ha scritto|schreef|zegt|disse|skriver|pisze)(?: on .{0,40})?\s?:?$`,
  'i',
)
const BEFORE_NAME = /^(?:by|from|posted by|von|par|por|da|door)\s*:?\s(?=\p{L})/iu
const LONGEST_NAME = 100
const LONGEST_DATE = 100
/** Maximum length of a text that consists only of a date. Such an element may have any name. */
const LONGEST_PLAIN_DATE = 40
const YEAR = /(?<!\d)20\d\d(?!\d)/
/** Elements of a comment that may be its text. */
const MOST_CONTENTS = 8
const LEAST_CONTENT = 0.5
/** Minimum number of similar parts of a list of comments. */
const FEWEST_LIKE = 2
const stated = compileJsonPath('$..comment')

/**
 * Returns the comments of readers below an article or a post, replies included, in the order of the
 * page. They are read from the elements that show them, else from the page's data. `null`: the page
 * has no comments.
 */
export function* commentParts(page: PageContent): Parts<Json> {
  const { elements } = page.tree
  const named = yield* itemsIn(page, isItem, NAMING_STEPS)
  yield
  const shown = named.length > 0 ? named : yield* itemsIn(page, likeParts(elements), 0)
  yield
  if (shown.length === 0) {
    yield* page.readData()
    yield* page.readMicrodata()
  }
  const comments = shown.length > 0 ? shown : statedComments(page)
  if (comments.length > MOST_COMMENTS) page.budget.cut('comments', MOST_COMMENTS)
  return comments.length === 0 ? null : comments.slice(0, MOST_COMMENTS)
}

/**
 * Reads the comments that are shown in elements of one kind. An element without author and date is
 * not a comment.
 */
function* itemsIn(
  page: PageContent,
  test: (element: Element) => boolean,
  steps: number,
): Parts<Comment[]> {
  const { elements } = page.tree
  const items: Element[] = []
  const pay = new SlicePay(page.budget, steps, elements.length)
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index]
    if (element === undefined) break
    if (pay.begins(index)) yield
    if (OTHERS_NAME.test(nameOf(element)) && element.name !== 'body')
      index = element.endIndex ?? index
    else if (test(element)) items.push(element)
  }
  pay.end()
  const isNested = new Set(items)
  const comments: Comment[] = []
  for (const item of items) {
    const comment = commentIn(page, item, isNested)
    yield
    if (comment !== null) comments.push(comment)
    if (comments.length > MOST_COMMENTS) break
  }
  return comments
}

function isItem(element: Element): boolean {
  const { name, attribs } = element
  if (!BLOCK.has(name) || name === 'form' || isHidden(element)) return false
  if (ITEM_TYPE.test(attribs['itemtype'] ?? '') || ITEM_ID.test(attribs['id'] ?? '')) return true
  return ITEM_NAME.test((attribs['class'] ?? '').slice(0, LONGEST_DATE))
}

/** The parts of lists of comments: children of one name with one class. */
function likeParts(elements: readonly Element[]): (element: Element) => boolean {
  const parts = new Set<Element>()
  for (const { children, attribs, name } of elements) {
    if (name === 'body' || !LIST_NAME.test(`${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`))
      continue
    const kinds = new Map<string, Element[]>()
    for (const child of children) {
      if (!isTag(child) || !BLOCK.has(child.name)) continue
      const kind = `${child.name} ${(child.attribs['class'] ?? '').split(' ', 1)[0]}`
      const alike = kinds.get(kind)
      if (alike === undefined) kinds.set(kind, [child])
      else alike.push(child)
    }
    for (const alike of kinds.values())
      if (alike.length >= FEWEST_LIKE) for (const part of alike) parts.add(part)
  }
  return (element) => parts.has(element)
}

/** Reads one comment, without those within it. */
function commentIn(
  page: PageContent,
  item: Element,
  isNested: ReadonlySet<Element>,
): Comment | null {
  const { elements } = page.tree
  const last = item.endIndex ?? -1
  let author: Element | null = null
  const contents: Element[] = []
  let exact: string | null = null
  let shown: string | null = null
  let dated: Element | null = null
  for (let index = (item.startIndex ?? 0) + 1; index <= last; index++) {
    const element = elements[index]
    if (element === undefined) break
    page.budget.work(NAMING_STEPS)
    if (isNested.has(element) || META_FORM.has(element.name)) {
      index = element.endIndex ?? index
      continue
    }
    // The name is in the innermost element whose class says so.
    if (isAuthor(element) && (author === null || isBelow(element, author))) {
      if (nameIn(element, page) !== null) author = element
    }
    exact ??= exactDate(element)
    if (shown === null) {
      shown = shownDate(element, page)
      dated = shown === null ? null : element
    }
    if (contents.length < MOST_CONTENTS && isContent(element)) contents.push(element)
  }
  const date = exact ?? shown
  const textIn = (element: Element): string =>
    linesOf(
      readableText(
        element,
        '\n',
        page.budget,
        (part) => part !== dated && !isNested.has(part) && !isMeta(part),
      ),
    )
  const whole = textIn(item)
  let text = whole
  for (const content of contents) {
    const part = textIn(content)
    if (part.length >= LEAST_CONTENT * whole.length) text = part
  }
  const [line = '', ...rest] = text.split('\n')
  const isSaid = author === null && AFTER_NAME.test(line) && line.length <= LONGEST_NAME
  const name = author !== null ? nameIn(author, page) : isSaid ? nameOfText(line) : null
  if (isSaid) text = rest.join('\n')
  return (name === null && date === null) || text === '' || text === name
    ? null
    : { author: name, date, text }
}

const META_FORM = new Set(['form', 'button', 'textarea'])

function isBelow(element: Element, outer: Element): boolean {
  return (element.startIndex ?? 0) <= (outer.endIndex ?? -1)
}

function isAuthor(element: Element): boolean {
  const { name, attribs } = element
  return (
    name === 'cite' ||
    attribs['itemprop'] === 'author' ||
    attribs['itemprop'] === 'creator' ||
    attribs['rel'] === 'author' ||
    AUTHOR_NAME.test(nameOf(element))
  )
}

function isContent(element: Element): boolean {
  const { attribs, name } = element
  return (
    attribs['itemprop'] === 'text' ||
    attribs['itemprop'] === 'commentText' ||
    (BLOCK.has(name) && CONTENT_NAME.test(nameOf(element)))
  )
}

function isMeta(element: Element): boolean {
  return META.has(element.name) || META_NAME.test(nameOf(element)) || isAuthor(element)
}

function nameIn(element: Element, page: PageContent): string | null {
  return nameOfText(textStart(element, LONGEST_NAME + 1, page.budget))
}

function nameOfText(text: string): string | null {
  const name = text.replace(AFTER_NAME, '').replace(BEFORE_NAME, '').replace(/[:,]$/, '').trim()
  return name.length > LONGEST_NAME || !/[\p{L}\p{N}]/u.test(name) ? null : name
}

/** The date that an element states for machines. */
function exactDate({ name, attribs }: Element): string | null {
  const date =
    attribs['datetime'] ??
    (attribs['itemprop'] === 'dateCreated' || attribs['itemprop'] === 'datePublished'
      ? attribs['content']
      : name === 'abbr'
        ? attribs['title']
        : undefined)
  return date === undefined ? null : parseDate(date)
}

/**
 * The date that an element shows. Unless its class names a date, the element must contain nothing
 * else.
 */
function shownDate(element: Element, page: PageContent): string | null {
  const isNamed = element.name === 'time' || DATE_NAME.test(nameOf(element))
  const most = isNamed ? LONGEST_DATE : LONGEST_PLAIN_DATE
  const text = textStart(element, most + 1, page.budget)
  return text.length > most || (!isNamed && !YEAR.test(text))
    ? null
    : parseDate(text, { language: page.language, now: page.visitedAt })
}

/** The comments that the page's data and microdata have. */
function statedComments(page: PageContent): Comment[] {
  const tops = page.microdata.flatMap(({ isTop, value }) => (isTop ? [value] : []))
  return matchesIn([...page.data, ...tops], stated, page.budget)
    .flatMap((match) => (isList(match) ? match : [match]))
    .flatMap((comment) => {
      if (!isObject(comment)) return []
      const text = linesOf(
        textAt(comment['text'] ?? comment['commentText'] ?? comment['description']) ?? '',
      )
      const author = comment['author'] ?? comment['creator'] ?? null
      const date = textAt(
        comment['dateCreated'] ?? comment['datePublished'] ?? comment['commentTime'],
      )
      return text === ''
        ? []
        : [
            {
              author: textAt(isObject(author) ? author['name'] : author),
              date: date === null ? null : parseDate(date),
              text,
            },
          ]
    })
}

function textAt(value: Json | undefined): string | null {
  const first = value !== undefined && isList(value) ? value[0] : value
  return typeof first === 'string' && first.trim() !== '' ? collapse(first) : null
}

function linesOf(text: string): string {
  return text
    .split('\n')
    .map((line) => collapse(line))
    .filter((line) => line !== '')
    .join('\n')
}
