import { isTag, type Element } from 'domhandler'
import type { Field, Transform } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import { isLabelOf } from '../product/product-labels.ts'
import { dateReading, parseDate, readDate } from '../value/parse-date.ts'
import { namesOf, isWithin, ownText, within, type Role } from './item-elements.ts'
import { isPerson, isPersonLink } from './item-person.ts'
import { select } from './stable-selector.ts'

/** A number with the sign of a currency. */
export const MONEY = new RegExp(
  '(?:[$€£¥₹₽₩₺₴₫฿₪₱]|' +
    String.raw`\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CAD|AUD|kr|zł|Kč|Rp|RM|Rs\.?))\s?\d|` +
    String.raw`\d[.,\s]*(?:[$€£¥₹₽₩₺₴₫฿₪₱円元원]|` +
    '(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CAD|AUD|CZK|HUF|RON|kr|zł|Kč|lei|TL|руб|грн)(?![a-z]))',
  'i',
)

/**
 * True for a short text with a word beside its amounts of money, because EUR and kr are letters
 * too.
 */
export function hasWordBesideMoney(text: string): boolean {
  let rest = text
  for (let amount = MONEY.exec(rest); amount !== null; amount = MONEY.exec(rest))
    rest = `${rest.slice(0, amount.index)} ${rest.slice(amount.index + amount[0].length)}`
  return /\p{L}{2}/u.test(rest)
}

export const HEADING = /^h[1-6]$/
/** Pay is often a range, and not a price. */
const SALARY = /(?:^|[\s_-])salary(?:$|\s)/i
/** Names of an earlier price. */
const FORMER = new RegExp(
  String.raw`strike|crossed|cross[-_]?price|(?:was|old|former|original|compare(?:[-_]?at)?)[-_]?price|` +
    String.raw`price[-_]*(?:was|old|former|original|compare)|msrp|rrp\b|uvp\b`,
  'i',
)
const STRUCK = new Set(['del', 's', 'strike'])
/** Maximum number of levels above a price at which it may be struck out. */
const STRUCK_LEVELS = 4
/** Maximum number of elements of a price, such as its currency and its cents. */
const MOST_IN_PRICE = 3
/** Maximum number of elements to inspect in a possible description. */
const MOST_BELOW = 500
/** Maximum number of characters of a text with a price that are read. */
const LONGEST_PRICED = 120
/** Number of digits from which a number is an article number, and not a date. */
const CODE = /^\d{9,}$/
/** Columns that an element's own name identifies, if its text is short. */
const NAMED: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['brand', /(?:^|[\s_-])(?:brand|manufacturer|vendor)(?:[\s_-]?name)?(?:$|\s)/i],
  ['company', /(?:^|[\s_-])(?:company|employer|organi[sz]ation)(?:[\s_-]?name)?(?:$|\s)/i],
  ['location', /(?:^|[\s_-])(?:locations?|venue|city|place|where|address)(?:$|\s)/i],
  ['category', /(?:^|[\s_-])(?:categor(?:y|ies)|genres?|department|kicker|eyebrow)(?:$|\s)/i],
  ['sku', /(?:^|[\s_-])(?:sku|mpn|model[\s_-]?(?:no|number)|item[\s_-]?(?:no|number))(?:$|\s)/i],
  ['availability', /(?:^|[\s_-])(?:availability|(?:in[\s_-]?)?stock(?:[\s_-]?status)?)(?:$|\s)/i],
  ['salary', /(?:^|[\s_-])salary(?:$|\s)/i],
  ['duration', /(?:^|[\s_-])(?:duration|runtime)(?:$|\s)/i],
]

const named: readonly Role[] = NAMED.map(([name, pattern]) => ({
  name,
  fits: (element, { budget }) =>
    (element.attribs['itemprop'] === name || pattern.test(namesOf(element))) &&
    isBetween(textStart(element, 61, budget).length, 2, 60),
  field: (css, page, sample) => withoutLabel(name, css, page, sample),
}))

/** A label before a value, as in `Item number: 7`. */
const LABEL = /^\p{L}[\p{L}\p{M} .'-]{0,29}[:：]\s*(?=\S)/u
/** Minimum number of values with the same label. */
const LEAST_LABELLED = 3
/** Words for roles, besides those for brands and article numbers. */
const WORDS: Readonly<Record<string, RegExp>> = {
  company: new RegExp(
    '^(?:company|employer|organi[sz]ation|firma|unternehmen|arbeitgeber|entreprise|société|' +
      'employeur|empresa|azienda|bedrijf|werkgever|компания|работодатель|公司|会社|회사)$',
    'iu',
  ),
  location: new RegExp(
    '^(?:locations?|venue|city|place|where|address|ort|standort|stadt|adresse|lieu|ville|' +
      'ubicación|lugar|ciudad|localização|cidade|luogo|città|plaats|locatie|miejsce|miasto|' +
      'место|город|адрес|地点|地點|地址|場所|위치)$',
    'iu',
  ),
  category: new RegExp(
    '^(?:categor(?:y|ies)|genres?|department|kategorien?|rubrik|catégories?|rubrique|' +
      'categor[ií]as?|categorie|kategori[ae]?|категория|рубрика|分类|分類|类别|類別|' +
      'カテゴリー?|카테고리)$',
    'iu',
  ),
  availability: new RegExp(
    '^(?:availability|stock(?: status)?|verfügbarkeit|lager(?:bestand)?|disponibilité|' +
      'disponibilidade?|disponibilità|beschikbaarheid|voorraad|dostępność|наличие|库存|庫存|' +
      '在庫|재고)$',
    'iu',
  ),
  salary: new RegExp(
    '^(?:salary|pay|wage|gehalt|salaire|salario|salário|stipendio|salaris|зарплата|' +
      '薪资|薪資|給与|급여)$',
    'iu',
  ),
  duration: new RegExp(
    '^(?:duration|run(?:ning )?time|length|dauer|laufzeit|durée|duración|duração|durata|duur|' +
      'длительность|продолжительность|时长|時長|時間|시간)$',
    'iu',
  ),
}

/** True for a word that names the role, and so is not part of its value. */
function namesRole(role: string, label: string): boolean {
  if (role === 'brand') return isLabelOf('brand', label)
  if (role === 'sku') return isLabelOf('sku', label) || isLabelOf('mpn', label)
  return WORDS[role]?.test(label) ?? false
}

/** The text of an element, without the name of the role that stands before it in all items. */
function withoutLabel(
  role: string,
  css: string,
  page: PageContent,
  sample: readonly Element[],
): Field {
  const texts = sample.flatMap((item) =>
    select(page, css, item)
      .slice(0, 1)
      .map((element) => textStart(element, 61, page.budget)),
  )
  const [label] = LABEL.exec(texts[0] ?? '') ?? []
  if (
    label === undefined ||
    texts.length < LEAST_LABELLED ||
    !namesRole(role, label.replace(/[:：]\s*$/u, '').trim()) ||
    !texts.every((text) => text.startsWith(label))
  )
    return css
  // No text has a line break after `collapse`: it marks the start.
  const start: Transform = { replace: [`\n${label}`, ''] }
  return { css, transform: ['collapse', { prefix: '\n' }, start, 'trim'] }
}

/** The roles, in the order in which they name an element. */
export const roles: readonly Role[] = [
  {
    name: 'image',
    fits: (element) => element.name === 'img' && sourceOf(element) !== null,
    field: (css, page, sample) => imageField(css, page, sample),
  },
  {
    name: 'image',
    fits: (element) => (element.name === 'source' || element.name === 'img') && hasSet(element),
    field: (css, page, sample) => setField(css, page, sample),
  },
  {
    name: 'image',
    // A picture behind a text is decoration.
    fits: (element) => BACKGROUND.test(styleOf(element)) && ownText(element).trim() === '',
    field: (css, page, sample) => backgroundField(css, page, sample),
  },
  {
    name: 'price',
    fits: (element, { budget }) => {
      // The sign of a currency, or the cents, may be in elements of their own.
      const text =
        (element.endIndex ?? 0) - (element.startIndex ?? 0) > MOST_IN_PRICE
          ? ownText(element)
          : textStart(element, 40, budget)
      const isPrice =
        element.attribs['itemprop'] === 'price' ||
        (((text.length < 40 && MONEY.test(text)) ||
          (/price/i.test(namesOf(element)) && isShort(element, budget, /\d/))) &&
          !within(element, budget, MOST_BELOW).some(isFormerAlone))
      return (
        isPrice &&
        !SALARY.test(namesOf(element)) &&
        !isFormer(element) &&
        !isBeforeSale(element, budget)
      )
    },
    field: (css, page, sample) => priceField(css, page, sample),
  },
  {
    name: 'date',
    fits: (element, page) => isWrittenDate(dateTextOf(element), page),
    field: (css, page, sample) => dateField(css, page, sample),
  },
  // If the text is a time of day, or `2 years ago`, the attribute `title` may have the whole date.
  {
    name: 'date',
    fits: hasDatedTitle,
    field: (css) => ({ css, attr: 'title', as: 'date' }),
  },
  {
    name: 'date',
    fits: (element, page) => isAge(dateTextOf(element), page, element),
    field: (css) => ({ css, as: 'date' }),
  },
  {
    name: 'rating',
    fits: (element, { budget }) =>
      element.attribs['itemprop'] === 'ratingValue' ||
      (/rating|stars?\b/i.test(namesOf(element)) &&
        isShort(element, budget, /^\D{0,12}\d(?:[.,]\d+)?\b/)),
    field: (css) => ({ css, as: 'number' }),
  },
  {
    name: 'author',
    fits: (element, { budget }) =>
      (isPerson(element) || (element.name === 'a' && isPersonLink(element))) &&
      isBetween(textStart(element, 61, budget).length, 2, 60),
    field: (css) => css,
  },
  // An element that is or contains the title or the date is not a description.
  {
    name: 'description',
    fits: (element, page) =>
      (element.name === 'p' ||
        /desc|summary|excerpt|snippet|teaser|intro|abstract/i.test(namesOf(element))) &&
      textStart(element, 31, page.budget).length > 30 &&
      !isDated(textStart(element, LONGEST_DATE, page.budget), page, element) &&
      ![element, ...within(element, page.budget, MOST_BELOW)].some(
        ({ name }) => HEADING.test(name) || name === 'time',
      ),
    field: (css) => css,
  },
  ...named,
]

/** Maximum length of a line that contains a date, and perhaps an author. */
const LONGEST_DATE = 60
const DATE_LENGTH = '2026-01-05'.length
const TIME_ALONE = /^\D{0,10}\d{1,2}[.:]\d{2}(?:[.:]\d{2})?\D{0,20}$/

/** `3 days ago` or `5 May, 10:30`: one small number and perhaps a time. */
const MAY_BE_AGO = /^\D*\d{1,3}\D*(?:\d{1,2}:\d{2}\D*)?$/

/** `3h` or `90 min`: an age, a duration, or a distance. */
const LENGTH_ALONE = /^\P{L}*\d\s?(?:\p{sc=Latin}|\p{sc=Cyrillic}){1,10}\P{L}*$/u
const TELLS_TIME =
  /(?:^|[\s_-])(?:date|time(?:stamp|ago)?|ago|age|posted|published|when)(?:$|[\s_-])/i

function isDated(text: string, page: PageContent, element: Element): boolean {
  return isWrittenDate(text, page) || (/\d/.test(text) && isAge(text, page, element))
}

function dateTextOf(element: Element): string {
  const { datetime, content = datetime } = element.attribs
  return content ?? ownText(element)
}

/**
 * The field of prices. A number before one, as in `Phone 11 $719`, is left out. `null`: most items
 * have such a number, and the two cannot be distinguished.
 */
function priceField(css: string, page: PageContent, sample: readonly Element[]): Field | null {
  const prices: readonly PriceText[] = sample.flatMap((item) =>
    select(page, css, item)
      .slice(0, 1)
      .flatMap((element) => {
        const text = textStart(element, LONGEST_PRICED, page.budget)
        const amount = MONEY.exec(text)
        return amount === null ? [] : [{ text, amount: amount[0], start: amount.index }]
      }),
  )
  const plain = { css, as: 'number' } as const
  const [first] = prices
  const preceded = prices.filter(isAfterNumber).length
  if (first === undefined || preceded === 0) return plain
  const isMost = 2 * preceded >= prices.length
  const sign = first.amount.replaceAll(/[\d.,\s]/g, '')
  const isSignFirst = !/^\d/.test(first.amount)
  const isCut = prices.every(({ text, amount }) => {
    const [before = '', after = ''] = text.split(sign)
    // A space between digits groups them, or separates two numbers.
    return isSignFirst
      ? amount.startsWith(sign) && /^\s?\d/.test(after)
      : amount.endsWith(sign) && /(?:^|[^\d\s–—-]\s)\d[\d.,]*\s?$/.test(before)
  })
  if (!isCut) return isMost ? null : plain
  // If only few items have a number before the price, the space may be within a number in the
  // others.
  if (!isSignFirst && !isMost) return plain
  // An empty part would be dropped.
  const transform: readonly Transform[] = isSignFirst
    ? [{ prefix: ';' }, { split: sign }, { item: 1 }]
    : ['collapse', { split: sign }, { item: 0 }, { split: ' ' }, { item: -1 }]
  return { css, transform, as: 'number' }
}

interface PriceText {
  readonly text: string
  readonly amount: string
  readonly start: number
}

function isAfterNumber({ text, amount, start }: PriceText): boolean {
  const before = text.slice(0, start)
  const other = /^\d/.test(amount) ? before.replace(/\d[\d.,\s]{0,20}$/, '') : before
  // `100–150 €` is one price with two ends.
  return /\d/.test(other) && !/\d\s?[–—-]\s?$/.test(other)
}

/** True for a line with a date. */
export function isWrittenDate(text: string, { language }: PageContent): boolean {
  return text.length < LONGEST_DATE && /\d/.test(text) && !CODE.test(text) && isDate(text, language)
}

/** True for a date, and for a date whose order of day and month only its column shows. */
function isDate(text: string, language: string | null): boolean {
  const { value, isUnclear } = readDate(text, { language })
  return value !== null || isUnclear
}

/** The field of dates. If day and month cannot be distinguished, the texts stay unchanged. */
function dateField(css: string, page: PageContent, sample: readonly Element[]): Field {
  const texts = sample.flatMap((item) => select(page, css, item).slice(0, 1).map(dateTextOf))
  const as = dateReading(texts, { language: page.language, now: page.visitedAt })
  return as === null ? css : { css, as }
}

/** True for a line with a time before the visit: `3 days ago`. */
function isAge(text: string, { language, visitedAt: now }: PageContent, element: Element): boolean {
  if (text.length >= LONGEST_DATE || now === null) return false
  if (!MAY_BE_AGO.test(text) || TIME_ALONE.test(text)) return false
  if (LENGTH_ALONE.test(text) && element.name !== 'time' && !TELLS_TIME.test(namesOf(element)))
    return false
  const date = parseDate(text, { language, now })
  // The date in `120 stars today` is the time of counting.
  const isToday = date === new Date(now).toISOString().slice(0, DATE_LENGTH)
  return date !== null && !isToday && Date.parse(date) <= now
}

function hasDatedTitle({ name, attribs: { title = '' } }: Element): boolean {
  const isShown = name === 'abbr' || name === 'span' || name === 'time' || name === 'a'
  return isShown && title.length < 40 && /\d/.test(title) && parseDate(title) !== null
}

function isFormerAlone(element: Element): boolean {
  return STRUCK.has(element.name) || FORMER.test(namesOf(element))
}

/** True for a price that is struck out, or named as an earlier one. */
function isFormer(price: Element): boolean {
  let element: Element = price
  for (let level = 0; level < STRUCK_LEVELS; level++) {
    if (isFormerAlone(element)) return true
    const { parent } = element
    if (parent === null || !isTag(parent)) return false
    element = parent
  }
  return false
}

const REGULAR = /(?:^|[\s_-])regular(?:$|[\s_-])/i
const SALE = /sale[-_]?price|price(?:[-_]+item)?[-_]+sale/i

/** True for a regular price with the price of a sale beside it. */
function isBeforeSale(price: Element, budget: PageBudget): boolean {
  if (!REGULAR.test(namesOf(price))) return false
  let around = price
  for (let level = 0; level < STRUCK_LEVELS; level++) {
    const { parent } = around
    if (parent === null || !isTag(parent)) return false
    around = parent
    const below = within(around, budget, MOST_BELOW)
    const others = below.filter((element) => element !== price && REGULAR.test(namesOf(element)))
    const isOfOther = (element: Element): boolean =>
      !isFormerAlone(element) &&
      !isWithin(price.startIndex, element) &&
      !isWithin(element.startIndex, price)
    // An element around several products may contain the sale price of another one.
    if (others.some(isOfOther)) return false
    if (
      below.some(
        (element) => SALE.test(namesOf(element)) && MONEY.test(textStart(element, 40, budget)),
      )
    )
      return true
  }
  return false
}

/** Attributes that contain a picture's address until the picture is scrolled into view. */
const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-image'] as const

/** The address of a picture. Many pages put it into another attribute until the picture is visible. */
function imageField(css: string, page: PageContent, sample: readonly Element[]): Field {
  const images = sample.flatMap((item) => select(page, css, item).slice(0, 1))
  const lazy = LAZY.find(
    (name) =>
      images.filter(({ attribs }) => Object.hasOwn(attribs, name)).length * 2 > images.length,
  )
  const shown: Field = { css, attr: 'src', as: 'url' }
  return lazy === undefined ? shown : [{ css, attr: lazy, as: 'url' }, shown]
}

/** Attributes with a picture in several sizes. */
const SETS = ['data-srcset', 'srcset'] as const

function setOf({ attribs }: Element): (typeof SETS)[number] | undefined {
  return SETS.find((name) => /^\s{0,20}[^\s]/.test(attribs[name] ?? ''))
}

function hasSet(element: Element): boolean {
  const name = setOf(element)
  return name !== undefined && !/^\s{0,20}data:/.test(element.attribs[name] ?? '')
}

/** The first of several sizes of a picture. `null`: all items have the same picture. */
function setField(css: string, page: PageContent, sample: readonly Element[]): Field | null {
  const images = sample.flatMap((item) => select(page, css, item).slice(0, 1))
  const attr = images.map(setOf).find((name) => name !== undefined) ?? 'srcset'
  const sets = new Set(images.map(({ attribs }) => attribs[attr]))
  if (sets.size === 1) return null
  // An address may contain commas, but no space.
  const transform: readonly Transform[] = [
    'collapse',
    { split: ', ' },
    { item: 0 },
    { split: ' ' },
    { item: 0 },
  ]
  return { css, attr, transform, as: 'url' }
}

/**
 * A picture as the background of an element: the text before its address, its quote, and the
 * address.
 */
const BACKGROUND =
  /\b(background(?:-image)?\s*:[^;]{0,100}?url\((["']?))(?!data:)([^"')\s]{1,300})/i
const MOST_STYLE = 500
/** Maximum number of characters of a text at which a recipe can split. */
const LONGEST_SIGN = 100

function styleOf({ attribs }: Element): string {
  return (attribs['style'] ?? '').slice(0, MOST_STYLE)
}

/** The address in `background-image: url("…")`. `null`: the items have no common text before it. */
function backgroundField(css: string, page: PageContent, sample: readonly Element[]): Field | null {
  const pictures = sample.flatMap((item) =>
    select(page, css, item)
      .slice(0, 1)
      .flatMap((element) => {
        const style = styleOf(element)
        const [, before = '', quote = '', address = ''] = BACKGROUND.exec(style) ?? []
        return address === '' ? [] : [{ style, before, quote, address }]
      }),
  )
  const [first] = pictures
  if (first === undefined || new Set(pictures.map(({ address }) => address)).size === 1) return null
  const { before, quote } = first
  const sign = [before, before.slice(before.search(/url/i))].find(
    (text) =>
      text.length <= LONGEST_SIGN &&
      pictures.every(({ style, address }) =>
        style.slice(style.indexOf(text) + text.length).startsWith(`${address}${quote})`),
      ),
  )
  if (sign === undefined) return null
  // An empty part would be dropped.
  const transform: readonly Transform[] = [
    { prefix: ';' },
    { split: sign },
    { item: 1 },
    { split: `${quote})` },
    { item: 0 },
  ]
  return { css, attr: 'style', transform, as: 'url' }
}

/** The address of a picture. `null`: it has no address, or only a placeholder in the page itself. */
export function sourceOf(image: Element): string | null {
  const lazy = LAZY.map((name) => image.attribs[name]).find(
    (address) => address !== undefined && address !== '',
  )
  const source = lazy ?? image.attribs['src']
  return source === undefined || source === '' || source.startsWith('data:') ? null : source
}

function isShort(element: Element, budget: PageBudget, pattern: RegExp): boolean {
  const text = textStart(element, 40, budget)
  return text.length < 40 && pattern.test(text)
}

function isBetween(length: number, least: number, most: number): boolean {
  return length >= least && length <= most
}
