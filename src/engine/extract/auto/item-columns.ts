import { isTag, type Element } from 'domhandler'
import { isReservedName } from '../../../kernel/names.ts'
import { isHidden } from '../format/beside.ts'
import { headingOf } from '../format/table-grid.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { isWithin, ownText, type Item } from './item-elements.ts'
import { MONEY } from './item-roles.ts'
import { stableClasses } from './stable-selector.ts'

/** A column without a role, by the name that its elements have. */
export interface NamedColumn {
  readonly name: string
  /** The first such element of each item. */
  readonly elements: readonly (Element | null)[]
  /** True if most items have several of them, such as tags. */
  readonly isList: boolean
}

/** A longer text is no value of a column. */
const LONGEST = 80
/** Columns that have no role. */
const MOST_COLUMNS = 8
/** Share of the items that such a column needs. */
const LEAST_FILLED = 0.5
const LEAST_ITEMS = 3
/** Elements of an item that are read. */
const MOST_READ = 300
const NO_VALUE = new Set(
  'script style noscript template svg button label option select dt th textarea sup title iframe'.split(
    ' ',
  ),
)
/** Words of classes that say how an element looks or where it is, and not what it holds. */
const VAGUE = new Set(
  (
    'text txt item items wrap wrapper inner outer content contents container label value val meta ' +
    'metadata info data body header head foot footer main primary secondary small large icon img ' +
    'more read view views count number no num'
  ).split(' '),
)
/** What things are called that people list. Classes with other words tell how something looks. */
const KNOWN = new Set(
  // Of goods and offers.
  (
    'brand maker manufacturer model version edition format size sizes color colour colors weight ' +
    'material capacity quantity unit units volume discount saving savings shipping delivery condition ' +
    'warranty seller vendor store shop bid bids deposit fee tax stock sku code isbn ean mpn energy ' +
    'fuel mileage engine transmission power speed range memory storage cpu ram gpu screen display ' +
    // Of places, homes and travel.
    'address street locality city town region county state country zip postcode postal_code location ' +
    'district distance area surface rooms room bedrooms beds bathrooms baths floor floors building ' +
    'platform gate destination origin departure arrival stops airline carrier hotel cuisine ' +
    // Of people, work and learning.
    'author authors artist artists actor actors cast director directors writer publisher editor ' +
    'translator narrator host speaker speakers company employer organization organisation team agent ' +
    'agency contact phone tel telephone fax email website role position job department degree school ' +
    'university salary wage pay experience level grade age gender nationality owner user member ' +
    'teacher instructor student reviewer party club league player ' +
    // Of works, news and programs.
    'subtitle category categories genre genres topic topics subject subjects tag tags keyword ' +
    'keywords language languages license source domain site sitestr channel album track season ' +
    'episode chapter chapters pages length duration runtime time year date deadline status type ' +
    'kind series abstract citation journal venue conference rank ranking score scores rating votes ' +
    'points stars stargazers forks watchers issues commits downloads installs followers subscribers ' +
    'members karma reputation likes shares replies answers comments reviews viewers badge difficulty ' +
    'servings calories ingredients yield result winner goals assists wins losses draws budget revenue ' +
    'population height width depth temperature humidity wind rain ' +
    // The same in other languages.
    'marke hersteller farbe größe groesse gewicht ort stadt strasse kategorie kategorien quelle ' +
    'marque couleur taille ville categorie auteur marca tamaño ciudad categoria categorias autor ' +
    'fecha lugar fuente merk kleur maat plaats'
  ).split(' '),
)
const MOST_WORDS = 5
/** Words that make a known one narrower. */
const NARROWER = new Set(['postal', 'start', 'end', 'release', 'due', 'living', 'street', 'latest'])
/** `color-muted` and `size-small` say how a text looks. */
const LOOKS = new Set(['color', 'colors', 'colour', 'colours', 'size', 'sizes', 'height', 'width'])
/** Properties of what has a column of its own. */
const OTHER_PROPERTY = /^(?:article_?body|text|description|headline|name|url|image|review_?body)$/i
/** Any time: `3 days ago` is one whenever it is read. */
const SOME_TIME = Date.UTC(2020, 0, 15)
const SOME_DAY = '2020-01-15'
const LONGEST_NAME = 40
/** Elements around one whose names are asked if it has none. */
const MOST_AROUND = 2
/** `12 stars today`, and `Cited by 40`. */
const BEFORE = /^[(+]?\d[\d.,]*(?:\s?[km](?!\p{L}))?\+?\s(\p{L}{3,}(?:\s\p{L}{2,}){0,2})$/iu
const AFTER = /^(\p{L}{3,}(?:\s\p{L}{2,}){0,2}):?\s\d[\d.,]*(?:\s?[km](?!\p{L}))?$/iu
/** Names that say the same as a role. */
const SYNONYMS: Readonly<Record<string, string>> = {
  tel: 'phone',
  telephone: 'phone',
  mail: 'email',
  vendor: 'brand',
  employer: 'company',
  lang: 'language',
  sitestr: 'domain',
  site: 'domain',
  postcode: 'postal_code',
  zip: 'postal_code',
  stargazers: 'stars',
}

/**
 * Returns the columns that have no role, but a name: what elements with short texts are called by
 * their classes. A text that is the same in all items tells nothing, and is left out.
 */
export function namedColumns(
  items: readonly Item[],
  parts: readonly (readonly Element[])[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): readonly NamedColumn[] {
  const columns = new Map<string, (Element | null)[]>()
  const repeated = new Map<string, Set<number>>()
  const texts = new Map<string, Set<string>>()
  for (const [index, item] of items.entries()) {
    const own = parts[index] ?? []
    const known = new Set(own.map((part) => textStart(part, LONGEST + 1, budget)))
    for (const element of valuesIn(item, own, budget)) {
      const text = textStart(element, LONGEST + 1, budget)
      const name =
        known.has(text) || labels.has(text) ? null : nameOf(element, item.element, text, budget)
      if (name === null) continue
      const column = columns.get(name) ?? items.map(() => null)
      if (column[index] !== null) {
        repeated.set(name, (repeated.get(name) ?? new Set()).add(index))
        continue
      }
      column[index] = element
      columns.set(name, column)
      texts.set(name, (texts.get(name) ?? new Set()).add(text))
    }
  }
  const least = Math.max(LEAST_ITEMS, items.length * LEAST_FILLED)
  return [...columns]
    .filter(
      ([name, elements]) =>
        elements.filter((element) => element !== null).length >= least &&
        (texts.get(name)?.size ?? 0) > 1,
    )
    .slice(0, MOST_COLUMNS)
    .map(([name, elements]) => ({
      name,
      elements,
      isList: (repeated.get(name)?.size ?? 0) >= least,
    }))
}

/** The elements of an item with a short text of their own, outside its other columns. */
function* valuesIn(
  { below }: Item,
  parts: readonly Element[],
  budget: PageBudget,
): Generator<Element> {
  let taken: Element | null = null
  budget.work(2 * Math.min(MOST_READ, below.length) * (1 + parts.length))
  for (const element of below.slice(0, MOST_READ)) {
    if (taken !== null && isWithin(element.startIndex, taken)) continue
    if (NO_VALUE.has(element.name) || isHidden(element)) {
      taken = element
      continue
    }
    const own = ownText(element)
    // A dash or a bracket before a number would be its sign.
    if (!/[\p{L}\d]/u.test(own) || MONEY.test(own) || /^[-–−(]\s?\d/.test(own)) continue
    if (textStart(element, LONGEST + 1, budget).length > LONGEST) continue
    const isUsed = parts.some(
      (part) =>
        part === element ||
        isWithin(element.startIndex, part) ||
        isWithin(part.startIndex, element),
    )
    if (isUsed) continue
    taken = element
    yield element
  }
}

/** What an element is called. `null`: nothing says it. */
function nameOf(element: Element, item: Element, text: string, budget: PageBudget): string | null {
  const said = nameInText(text)
  if (said !== null) return said
  if (element.name === 'dd') return nameFrom(termOf(element))
  for (
    let [node, level]: [Element, number] = [element, 0];
    node !== item && level <= MOST_AROUND;
    level++
  ) {
    const heading = node.parent === item ? headingOf(node, budget) : null
    const name = heading === null ? ownName(node) : nameFrom(heading)
    if (name !== null) return name
    if (node.parent === null || !isTag(node.parent)) return null
    node = node.parent
  }
  return null
}

/** `12 stars today` and `Cited by 40` count what they say. `1971` and `2h 10m` need no name. */
function nameInText(text: string): string | null {
  const [, words = ''] = BEFORE.exec(text) ?? AFTER.exec(text) ?? []
  if (words !== '') return isTime(text) || VAGUE.has(words.toLowerCase()) ? null : nameFrom(words)
  if (/^(?:19|20)\d\d$/.test(text)) return 'year'
  if (/^\d{1,3}\s?h(?:\s?\d{1,2}\s?m(?:in)?)?$|^\d{1,3}\s?min$/.test(text)) return 'duration'
  return null
}

/** True for a date or an age. `9 stars today` says when something was counted. */
function isTime(text: string): boolean {
  const date = parseDate(text, { now: SOME_TIME })
  return date !== null && date !== SOME_DAY
}

/** The name that an element has of itself. */
function ownName(element: Element): string | null {
  const { name, attribs } = element
  const property = attribs['itemprop'] ?? ''
  const named = property === '' || OTHER_PROPERTY.test(property) ? null : nameFrom(property)
  if (named !== null) return named
  for (const one of stableClasses(element)) {
    const known = nameInClass(one)
    if (known !== null) return known
  }
  const { title = '' } = attribs
  if (name !== 'a' && title.length < LONGEST_NAME && /^\p{L}[\p{L} ]+$/u.test(title))
    return nameFrom(title)
  if (name !== 'a') return null
  const href = attribs['href'] ?? ''
  return /\/(?:company|companies|employers?)[/?]/.test(href)
    ? 'company'
    : nameInClass(/\/(\p{L}{4,20})\/?$/u.exec(href)?.[1] ?? '')
}

function termOf(element: Element): string {
  let before = element.prev
  while (before !== null && !(isTag(before) && before.name === 'dt')) before = before.prev
  return before === null ? '' : ownText(before)
}

/** `s-item__bidCount` → `bid`. `null`: no word says what it is. */
function nameInClass(text: string): string | null {
  const words = wordsOf(text)
  const index = words.findLastIndex((word) => !VAGUE.has(word))
  const [word = '', before = ''] = [words[index], words[index - 1]]
  if (!KNOWN.has(word) || (LOOKS.has(word) && index < words.length - 1)) return null
  const name = NARROWER.has(before) ? `${before}_${word}` : word
  return SYNONYMS[name] ?? name
}

/** `Living area (m²)` → `living_area_m`. */
function nameFrom(text: string): string | null {
  const name = wordsOf(text).slice(0, MOST_WORDS).join('_')
  return name === '' || isReservedName(name) ? null : (SYNONYMS[name] ?? name)
}

function wordsOf(text: string): readonly string[] {
  return text
    .slice(0, LONGEST)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => /^\p{L}/u.test(word))
}
