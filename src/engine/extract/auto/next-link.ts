import { isTag, isText, type Element } from 'domhandler'
import { partsOf, urlIdentity } from '../../../kernel/url.ts'
import type { NormalUrl } from '../../../kernel/url.ts'
import { atOnce, inSlices, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { nextElement, previousElement } from '../select/matching.ts'
import { addressIn, scriptAddressIn } from '../page/link-address.ts'
import { textStart } from '../tree/text-content.ts'
import { selectParts, triesOn, waysToName } from './stable-selector.ts'

/** Texts of links to the next page. */
export const WORDS = new RegExp(
  '^(?:(?:go to (?:the )?)?next(?: page| posts?| results?)?|older(?: posts?| entries)?|' +
    'more results|weiter|nächste(?: seite)?|vor|suivante?(?: page)?|page suivante|' +
    'siguiente(?: página)?|próxim[ao](?: página)?|seguinte|successiv[ao]|avanti|' +
    'pagina successiva|volgende(?: pagina)?|oudere?(?: berichten)?|nästa(?: sida)?|' +
    'neste(?: side)?|næste(?: side)?|seuraava|następna(?: strona)?|dalej|další|ďalšia|' +
    'következő|următoarea|înainte|sonraki(?: sayfa)?|далее|' +
    'следующая(?: страница)?|вперед|' +
    'вперёд|наступна|次(?:へ|のページ|ページ|の記事|' +
    String.raw`の\d{1,3}件)?|下一页|下一頁|下页|다음(?: 페이지)?|tiếp(?: theo)?|` +
    'trang sau|berikutnya|selanjutnya|التالي|הבא|ถัดไป|επόμενη)$',
  'iu',
)
/** Texts of links and buttons that add to a list. They are also common in other places. */
const MORE = new RegExp(
  '^(?:(?:load|show|see|view) (?:more|next)(?: (?:results?|items?|posts?|products?|' +
    'articles?|stories))?|more(?: (?:upcoming )?(?:posts|products|articles|stories|items|' +
    'events))?|mehr (?:laden|anzeigen)|weitere (?:laden|anzeigen)|' +
    '(?:charger|afficher|voir) plus|(?:cargar|ver|mostrar) más|(?:carregar|ver|mostrar) mais|' +
    '(?:carica|mostra) altr[oi]|meer (?:laden|tonen)|(?:załaduj|pokaż) więcej|visa fler|' +
    'показать ещё|показать еще|загрузить ещё|' +
    'もっと(?:見る|読む)|加载更多|載入更多|더 ?보기)$',
  'iu',
)
/** The text of a link to the next page of a text, and of links from teasers to their pages. */
const CONTINUED = /^continued$/i
/** A page or an offset in an address. */
export const COUNTER =
  /(?:[?&/_-]|^)(?:(?:p|pg|page|paged|start|offset|seite|pagina|from)[=/_-]?\d|(?:cursor|after|page_?token)=[\w%])/i
/** The second page in an address. Some sites count from 0. */
const SECOND = /[?&/_-](?:p|pg|page|paged)[=/][12](?:$|[&#/])/i
const ARROWS = /^(?:[›»>→⟩▶❯]|>>|&gt;|chevron_right|arrow_forward|navigate_next)$/u
const NAMES =
  /(?:^|[\s_-])(?:next|older|pagination-?next|pager-?next|page-?next|nextpage)(?:$|[\s_-])/i
const BACK = /(?:^|[\s_-])(?:prev(?:ious)?|newer|back)(?:$|[\s_-])/i
const CAROUSEL = /(?:^|[\s_-])(?:slick|swiper|carousel|slider|slide|glide|owl)(?:$|[\s_-])/i
/** Matches links to the next month of a calendar, which is not the next page of a list. */
const CALENDAR = /(?:^|[\s_-])(?:date|day|week|month|year|calendar|datepicker)(?:$|[\s_-])/i
const AROUND = /pagin|pager|page-?nav|wp-pagenavi|nav-links|pages(?:\b|\d)/i

/** Longer texts and names do not label a link to the next page. */
const LONGEST_TEXT = 100
const MAX_NAMES = 1_000

/** With a lower score, a link is not one to the next page. */
const LEAST_SCORE = 5
/** Maximum number of links for which a selector is looked for. */
const MOST_NAMED = 3

/** A page's link to its next page. */
interface NextLink {
  readonly css: string
  readonly url: string
}

/** Returns the page's link to its next page and a selector for it, or `null`. */
export function nextLink(page: PageContent): NextLink | null {
  return atOnce(nextLinkParts(page))
}

/** Like {@link nextLink} in parts. */
export function* nextLinkParts(page: PageContent): Parts<NextLink | null> {
  const best: { readonly element: Element; readonly score: number }[] = []
  const links = new Links(page)
  for (const slice of inSlices(page.tree.elements)) {
    yield
    for (const element of slice) {
      const isLink = element.name === 'a' || element.name === 'link'
      const isButton = element.name === 'button' || element.attribs['role'] === 'button'
      if (isLink ? addressIn(element) === null : !isButton || scriptAddressIn(element) === null)
        continue
      const score = scoreOf(links, element, page.budget)
      if (score < LEAST_SCORE) continue
      const position = best.findIndex((other) => other.score < score)
      if (position !== -1) best.splice(position, 0, { element, score })
      else if (best.length < MOST_NAMED) best.push({ element, score })
      if (best.length > MOST_NAMED) best.pop()
    }
  }
  const url = best[0] === undefined ? null : links.urlOf(best[0].element)
  if (url === null) return null
  // A number alone may have no selector, but a word that leads to the same page has one.
  for (const { element } of best) {
    if (links.urlOf(element) !== url) continue
    const css = yield* selectorOf(page, links, element)
    if (css !== null) return { css, url }
  }
  return null
}

/**
 * The targets of a page's links. Many links share one address, and each tried selector asks for all
 * targets again.
 */
class Links {
  readonly #page: PageContent
  readonly #urls = new Map<string, NormalUrl | null>()
  readonly #identity: string
  readonly #host: string | undefined

  constructor(page: PageContent) {
    this.#page = page
    this.#identity = urlIdentity(page.url)
    this.#host = partsOf(page.url)?.hostname
  }

  urlOf(link: Element): NormalUrl | null {
    const href = addressIn(link) ?? ''
    const cached = this.#urls.get(href)
    if (cached !== undefined) return cached
    const url = this.#page.resolve(href)
    this.#urls.set(href, url)
    return url
  }

  /** True for a link to the page's own path, except for the page number. */
  staysOn(link: Element): boolean {
    const url = this.urlOf(link)
    return url !== null && pathOf(url) === pathOf(this.#page.url)
  }

  /** True for a link to the second page of a list below, whose first items are on this page. */
  staysBelow(link: Element): boolean {
    const url = this.urlOf(link)
    return (
      url !== null &&
      SECOND.test(addressIn(link) ?? '') &&
      pathOf(url).startsWith(`${pathOf(this.#page.url)}/`)
    )
  }

  leadsOn(link: Element): boolean {
    const url = this.urlOf(link)
    return (
      url !== null &&
      !(addressIn(link) ?? '').startsWith('#') &&
      urlIdentity(url) !== this.#identity &&
      partsOf(url)?.hostname === this.#host
    )
  }
}

function pathOf(url: string): string {
  return (partsOf(url)?.pathname ?? '').replace(
    /(?:\/(?:page|p|seite|pagina))?\/\d{1,6}\/?$|\/$/i,
    '',
  )
}

function scoreOf(links: Links, link: Element, budget: PageBudget): number {
  const rel = (link.attribs['rel'] ?? '').slice(0, MAX_NAMES).toLowerCase().split(/\s+/)
  if (rel.includes('prev')) return 0
  if (link.name === 'link') return rel.includes('next') && links.leadsOn(link) ? 9 : 0
  const shown = textStart(link, LONGEST_TEXT, budget)
  const text = shown
    .replace(/(?<![›»>→⟩▶❯])[›»>→⟩▶❯]+$/u, '')
    .replace(/^[«‹<←]+/u, '')
    .trim()
  // A button is followed only if its label says that it leads to more.
  const isNumber = /^\d{1,4}$/.test(text)
  const isMore = MORE.test(text)
  if (link.name !== 'a' && !WORDS.test(text) && !isMore && !isNumber) return 0
  const label = labelOf(link)?.value ?? ''
  const names = namesOf(link)
  const parent = link.parent !== null && isTag(link.parent) ? namesOf(link.parent) : ''
  const isWord = WORDS.test(text) || WORDS.test(label)
  const isArrow = !isWord && ARROWS.test(shown)
  const isContinued = CONTINUED.test(text)
  const isNamed = NAMES.test(names) || NAMES.test(parent)
  // Most links show no sign, and are not resolved.
  const isSign = isWord || isArrow || isContinued || isMore || isNamed || isNumber
  if (!isSign && !rel.includes('next')) return 0
  if (isBack(names) || isBack(parent) || !links.leadsOn(link)) return 0
  const around = isInPagination(link)
  const href = addressIn(link) ?? ''
  let score = rel.includes('next') ? 10 : 0
  if (isWord) score += around ? 8 : 5
  else if (isArrow) score += around ? 5 : 2
  // It needs a page number in its address, too.
  else if (isContinued) score += 3
  else if (isMore && COUNTER.test(href) && (links.staysOn(link) || links.staysBelow(link)))
    score += around ? 5 : 4
  if (isNamed) score += 4
  if (score === 0 && isNumber) {
    // A row such as `1 | 2` counts as a row of pages anywhere, even if only a text marks the
    // current page.
    const isBare = textBefore(link) === String(Number(text) - 1)
    if (isBare || (around && followsCurrent(link, Number(text), budget))) score += 6
  }
  if (score > 0 && COUNTER.test(href)) score += 2
  return score
}

/** Class and id. Their length is limited, because those of a parent are read for each of its links. */
function namesOf({ attribs }: Element): string {
  return `${(attribs['class'] ?? '').slice(0, MAX_NAMES)} ${(attribs['id'] ?? '').slice(0, MAX_NAMES)}`
}

// `prev_next` is a container of both links.
function isBack(names: string): boolean {
  return CAROUSEL.test(names) || CALENDAR.test(names) || (BACK.test(names) && !/next/i.test(names))
}

/** Returns a link's accessible name up to the first dash or number: `Next page - results 31 to 60`. */
function labelOf(link: Element): { readonly name: string; readonly value: string } | null {
  for (const name of ['aria-label', 'title']) {
    const value = /^[^-–—:(\d"\\]{2,40}/.exec(link.attribs[name] ?? '')?.[0].trim()
    if (value !== undefined && value !== '') return { name, value }
  }
  return null
}

function isInPagination(link: Element): boolean {
  let node = link.parent
  for (let up = 0; up < 4 && node !== null && isTag(node); up++, node = node.parent) {
    if (
      AROUND.test(`${namesOf(node)} ${(node.attribs['aria-label'] ?? '').slice(0, MAX_NAMES)}`) ||
      (node.name === 'nav' && node.attribs['role'] === 'pagination')
    )
      return true
  }
  return false
}

/** True if a number directly follows the number of the current page, which is not a link. */
function followsCurrent(link: Element, number: number, budget: PageBudget): boolean {
  const item: Element =
    link.parent !== null && isTag(link.parent) && isOnlyChild(link) ? link.parent : link
  let before = item.prev
  while (before !== null && !isTag(before)) before = before.prev
  // The current page may be a text beside the links: `1 | <a>2</a>`.
  const text = textBefore(item)
  if (text !== '') return currentIn(text) === String(number - 1)
  if (before === null || textStart(before, LONGEST_TEXT, budget) !== String(number - 1))
    return false
  const current = [before, ...before.children.filter(isTag)]
  // Buttons are compared without their state.
  if (link.name !== 'a') return current.some(isCurrentButton)
  return (
    current.every(
      (element) =>
        element.name !== 'a' ||
        !Object.hasOwn(element.attribs, 'href') ||
        element.attribs['aria-current'] !== undefined,
    ) || /active|current|selected/i.test(before.attribs['class'] ?? '')
  )
}

function isCurrentButton({ attribs }: Element): boolean {
  return (
    Object.hasOwn(attribs, 'disabled') ||
    /^(?:page|true)$/.test(attribs['aria-current'] ?? '') ||
    /(?:^|[\s_-])(?:active|current|selected)(?:$|\s)/i.test(
      (attribs['class'] ?? '').slice(0, MAX_NAMES),
    )
  )
}

/** Returns the text directly before an element, without separators of page numbers. */
function textBefore({ prev }: Element): string {
  if (prev === null || !isText(prev)) return ''
  return prev.data
    .slice(-LONGEST_TEXT)
    .replace(/[\s|·•,/\u00a0-]+/g, ' ')
    .trim()
}

function currentIn(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1)
}

function isOnlyChild(link: Element): boolean {
  return previousElement(link) === null && nextElement(link) === null
}

function* selectorOf(page: PageContent, links: Links, link: Element): Parts<string | null> {
  const own = waysToName(link)
  const label = labelOf(link)
  if (label !== null && WORDS.test(label.value))
    own.splice(-1, 0, `a[${label.name}^="${label.value}"]`)
  const text = textStart(link, LONGEST_TEXT, page.budget)
  const contained =
    text.length > 1 && text.length < 30 && !/["\\\d]/.test(text)
      ? `${link.name}:contains("${text}")`
      : null
  const above: string[] = []
  let node = link.parent
  for (let up = 0; up < 4 && node !== null && isTag(node); up++, node = node.parent)
    above.push(
      ...waysToName(node)
        .filter((way) => /[.[]/.test(way))
        .map((way) => `${way} `),
    )
  const named = own.filter((way) => way !== 'a' && way !== 'link')
  const ways = [
    ...named,
    ...above.flatMap((outer) => named.map((way) => outer + way)),
    ...(contained === null ? [] : [contained, ...above.map((outer) => outer + contained)]),
  ]
  let tries = triesOn(page.tree.elements.length)
  const fits = function* (css: string): Parts<boolean> {
    return tries-- > 0 && (yield* isAlone(page, links, css, link))
  }
  for (const way of ways) {
    if (yield* fits(way)) return way
    yield
  }
  // First the page after the marked current page; last the only link inside a named element.
  const after = [
    '.current + a',
    '.active + a',
    '.current + li > a',
    '.active + li > a',
    '.selected + li > a',
    'strong + a',
    'b + a',
    'span + a',
    '[aria-current] + a',
    'li:has([aria-current]) + li > a',
    ...(link.name === 'a' ? [] : ['[disabled] + a', 'li:has([disabled]) + li > a']),
  ].map((way) => (link.name === 'a' ? way : way.replace(/a$/, link.name)))
  for (const css of [
    ...after,
    ...above.flatMap((outer) => after.map((way) => outer + way)),
    ...above.map((outer) => `${outer}${link.name}`),
  ]) {
    if (yield* fits(css)) return css
    yield
  }
  return null
}

/** True if the selector's first match is the link and every other match leads to the same page. */
function* isAlone(page: PageContent, links: Links, css: string, link: Element): Parts<boolean> {
  const matches = yield* selectParts(page, css)
  const url = links.urlOf(link)
  return (
    matches.length > 0 &&
    matches.every((element) => element.name === link.name && links.urlOf(element) === url)
  )
}
