import { isTag, type Element } from 'domhandler'
import { QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { hrefIn } from '../page/link-address.ts'
import { collapse, textStart } from '../tree/text-content.ts'
import { nameOf } from './beside.ts'
import { partsOf } from '../../../kernel/url.ts'

/** Elements between a heading and the link in it. */
const LINK_LEVELS = 2
/** Elements between a navigation and the heading in it. */
const PATH_LEVELS = 8
/** Longer text is not a title. */
const LONGEST_TITLE = 300
/** Maximum number of characters that are read of a stated title. */
const LONGEST_STATED = 1_000
/** Maximum number of headings of a level that are compared. */
const MOST_HEADINGS = 50
/** A heading matches a title if they share this part of the words of either. */
const ALIKE = 0.5
/** The same for a lower heading, which may be the heading of only a part of the page. */
const NEARLY_SAME = 0.75
/** Separators between a page's title and the name of the site. */
const SEPARATOR = / [-–—|·•:»«›│┃/~]{1,3} | ?[|»›│┃] ?/g
/** A title that ends with a separator names only the site: nobody wrote that of the page. */
const UNFINISHED = / [-–—|·»›]$/
const TITLE_NAME = /(?:^|[\s_-])(?:entry|post|article|page|story|headline)-?title(?:$|\s)/i

/** Minimum number of words of a title beside the name of the site or of a section. */
const LEAST_WORDS = 3
/** A sign after a space, as it stands between the texts of two elements. */
const SPACED = /\p{L} [:;,.?!](?: |$)/u

/** The path of the first page of a site. */
const FIRST_PAGE = /^\/(?:index\.\w{1,5})?$/

/** Titles without any information about their page. */
const NO_TITLE =
  /^(?:home|homepage|home ?page|startseite|index|welcome|willkommen|accueil|inicio|untitled.*|document|news)$/i

/** The title of a page, and the heading that shows it. */
export interface PageTitle {
  readonly text: string | null
  readonly heading: Element | null
}

/**
 * Finds a page's title. Titles in the page's data are often written for search engines and contain
 * the name of the site. So a heading that says the same is preferred.
 *
 * `stated`: titles in data and meta elements, best first. `elements`: those that may hold it.
 */
export function* titleOf(
  page: PageContent,
  elements: readonly Element[],
  stated: readonly string[],
  site: string | null,
): Parts<PageTitle> {
  const inContent = yield* headingsIn(page, elements, isTop)
  // The path to the page may end with its only heading.
  const first =
    inContent.length > 0 ? inContent : yield* headingsIn(page, page.tree.elements, isInPath)
  const home = first.filter((heading) => leadsHome(page, heading.heading))
  const names = [...namesOfSite(page, site), ...home.map(({ text }) => squeeze(text))]
  const titles = stated
    .map((title) => withoutSite(collapse(title.slice(0, LONGEST_STATED)), names))
    .filter((title) => title !== '' && !UNFINISHED.test(title))
  const naming = first.filter(({ text, heading }) => !isSite(text, names) && !isKicker(heading))
  const telling = naming.filter(({ text }) => !NO_TITLE.test(text))
  const top = telling.length === 0 ? naming : telling
  const like = mostAlike(top, titles, ALIKE)
  if (like !== null) return spelled(like, titles)
  const [only, second] = top
  const usable = titles.filter((title) => !NO_TITLE.test(title) && !isSite(title, names))
  const isUsual =
    only !== undefined &&
    second === undefined &&
    (usable.length === 0 || usable.some((title) => sharesWord(title, only.text)))
  // A page may state the name of its section as its heading, and its title below.
  if (isUsual && wordsOf(only.text).size >= LEAST_WORDS) return only
  // Data for search engines may have other words than the page. Other headings of the first level
  // are those of sections.
  const near = top.find(({ text }) => usable.some((title) => sharesWord(title, text, 4, 2)))
  if (near !== undefined) return near
  const lower = yield* headingsIn(
    page,
    elements,
    (element) =>
      /^h[2-4]$/.test(element.name) ||
      element.attribs['itemprop'] === 'headline' ||
      TITLE_NAME.test(nameOf(element)),
  )
  const below = mostAlike(lower, [...titles, ...titles.flatMap(partsOfTitle)], NEARLY_SAME)
  if (below !== null) return spelled(below, titles)
  const beginning = lower.find(
    ({ text }) =>
      wordsOf(text).size >= LEAST_WORDS && titles.some((title) => title.startsWith(text)),
  )
  if (beginning !== undefined) return beginning
  if (isUsual) return only
  const shown = only ?? (titles.length === 0 ? lower[0] : undefined)
  return {
    text:
      titles[0] ?? shown?.text ?? (stated.find((title) => title !== '') || (home[0]?.text ?? null)),
    heading: shown?.heading ?? null,
  }
}

/** The parts of a title between separators, if they may be a title. */
function partsOfTitle(title: string): readonly string[] {
  const parts = title.split(SEPARATOR)
  return parts.length === 1 ? [] : parts.filter((part) => wordsOf(part).size >= LEAST_WORDS)
}

/** A heading with the signs of a stated title that has the same letters. */
function spelled(heading: Heading, titles: readonly string[]): Heading {
  const letters = squeeze(heading.text)
  const same = titles.filter((title) => squeeze(title) === letters)
  // Elements side by side have a space between their texts, as before a colon.
  return same.length === 0 || same.includes(heading.text) || !SPACED.test(heading.text)
    ? heading
    : { ...heading, text: same[0] ?? heading.text }
}

/** A line above the title, which names its subject. */
const KICKER =
  /(?:^|[\s_-])(?:kicker|strapline|overline|eyebrow|dachzeile|spitzmarke|roofline)(?:$|[\s_-])/i

/** The sign between the line and the title. */
const AFTER_KICKER = /^\s?[-–—|:·•/]\s/

function isTop({ name }: Element): boolean {
  return name === 'h1'
}

function isKicker(heading: Element): boolean {
  return KICKER.test(nameOf(heading))
}

/** The text of a heading without the line above the title, if that is a part of the heading. */
function withoutKicker(heading: Element, text: string, page: PageContent): string {
  const kicker = heading.children.find((child) => isTag(child) && isKicker(child))
  if (kicker === undefined || !isTag(kicker)) return text
  const line = textStart(kicker, LONGEST_TITLE + 1, page.budget)
  const rest = text.startsWith(line) ? text.slice(line.length).replace(AFTER_KICKER, '').trim() : ''
  return rest === '' ? text : rest
}

/** True for a heading of the first level in the navigation. */
function isInPath(element: Element): boolean {
  if (!isTop(element)) return false
  let { parent } = element
  for (let level = 0; level < PATH_LEVELS && parent !== null; level++, { parent } = parent)
    if (isTag(parent) && parent.name === 'nav') return true
  return false
}

type Heading = { readonly text: string; readonly heading: Element }

/** True for the first page of a site. */
export function isFirstPage({ url }: PageContent): boolean {
  const { origin = '' } = partsOf(url) ?? {}
  return FIRST_PAGE.test(url.slice(origin.length))
}

/** True for an element that is a link to the first page of the site: it names the site. */
export function leadsHome(page: PageContent, element: Element): boolean {
  let link = element.name === 'a' ? element : element.children.find(isTag)
  for (let level = 0; level < LINK_LEVELS && link !== undefined && link.name !== 'a'; level++)
    link = link.children.find(isTag)
  const target = link === undefined ? null : page.resolve(hrefIn(link) ?? '#')
  const { origin = '' } = partsOf(page.url) ?? {}
  return target !== null && target === `${origin}/` && !isFirstPage(page)
}

function* headingsIn(
  page: PageContent,
  elements: readonly Element[],
  test: (element: Element) => boolean,
): Parts<readonly Heading[]> {
  page.budget.work(elements.length)
  const headings: Heading[] = []
  const pass = new QuickPass(page.budget)
  for (const heading of elements) {
    if (pass.ends()) yield
    if (!test(heading)) continue
    const text = withoutKicker(heading, textStart(heading, LONGEST_TITLE + 1, page.budget), page)
    if (text.length > 1 && text.length <= LONGEST_TITLE) headings.push({ text, heading })
    if (headings.length === MOST_HEADINGS) break
  }
  return headings
}

/** Returns the heading most like one of the titles, or `null` if no heading is like one. */
function mostAlike(
  headings: readonly Heading[],
  titles: readonly string[],
  least: number,
): Heading | null {
  const sets = titles.map(wordsOf)
  let [best, most]: [Heading | null, number] = [null, 0]
  for (const heading of headings) {
    const words = wordsOf(heading.text)
    for (const title of sets) {
      const share = likeness(words, title)
      if (share >= least && share > most) [best, most] = [heading, share]
    }
  }
  return best
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0
  for (const word of left) if (right.has(word)) shared++
  return shared / Math.max(1, left.size, right.size)
}

/** True if two texts share `least` words of at least `length` characters. */
export function sharesWord(left: string, right: string, length = 3, least = 1): boolean {
  const words = wordsOf(left)
  let shared = 0
  for (const word of wordsOf(right)) if (word.length >= length && words.has(word)) shared++
  return shared >= least
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  )
}

/**
 * Returns the names of the page's site without spaces: the name that the page states, and the name
 * in its host.
 */
export function namesOfSite(page: PageContent, site: string | null): readonly string[] {
  const labels = (partsOf(page.url)?.hostname ?? '').replace(/^www\./, '').split('.')
  const name = labels.length > 1 ? labels.slice(0, -1).join('') : (labels[0] ?? '')
  return [site ?? '', labels.join(''), name, labels.at(-2) ?? '']
    .map(squeeze)
    .filter((text) => text.length > 2)
}

/** True for a name of the site. */
export function isSite(text: string, names: readonly string[]): boolean {
  return names.includes(squeeze(text))
}

function squeeze(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Leaves out the parts of a title that are the name of the site, at its end or its beginning. */
function withoutSite(title: string, names: readonly string[]): string {
  const separators = [...title.matchAll(SEPARATOR)]
  const last = separators.at(-1)
  if (last !== undefined && isSite(title.slice(last.index + last[0].length), names))
    return withoutSite(title.slice(0, last.index).trim(), names)
  const first = separators[0]
  if (first !== undefined && isSite(title.slice(0, first.index), names))
    return title.slice(first.index + first[0].length).trim()
  return title
}
