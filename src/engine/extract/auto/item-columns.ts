import { isTag, isText, type Element } from 'domhandler'
import { isReservedName } from '../../../kernel/names.ts'
import { isHidden } from '../format/beside.ts'
import { headingOf } from '../format/table-grid.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { isWithin, ownText, propertyOf, type Item } from './item-elements.ts'
import { MONEY } from './item-roles.ts'
import { hookOf, stableClasses, tagInPath } from './stable-selector.ts'

/** A column without a role, by the name that its elements have. */
export interface NamedColumn {
  readonly name: string
  /** The first such element of each item. */
  readonly elements: readonly (Element | null)[]
  /** True if most items have several of them, such as tags. */
  readonly isList: boolean
  /** True if its texts are counts with their unit: `2 beds`. */
  readonly isCount: boolean
  /** The XPath of an element by the word or the term that names it. `null`: a class names it. */
  readonly path: string | null
  /**
   * True if mail addresses or telephone numbers are only in the addresses of links, and not in
   * their texts.
   */
  readonly isInLink: boolean
}

/** The origin of an element's name. */
interface Naming {
  readonly name: string
  /** The element around it that has the name, and whose text is the value. */
  readonly around?: Element
  readonly isCount?: true
  readonly path?: string
}

/** Longer texts are not values of a column. */
export const LONGEST_VALUE = 80
/** Columns that have no role. */
const MOST_COLUMNS = 8
/** Minimum share of the items that have such a column. */
const LEAST_FILLED = 0.5
const LEAST_ITEMS = 3
/** Maximum number of elements of an item that are read. */
const MOST_READ = 300
const NO_VALUE = new Set(
  'script style noscript template svg button label option select dt th textarea sup title iframe'.split(
    ' ',
  ),
)
/** Words of classes that describe the look or the place of an element, and not its content. */
const VAGUE = new Set(
  (
    'text txt item items wrap wrapper inner outer content contents container label value val meta ' +
    'metadata info data body header head foot footer main primary secondary small large icon img ' +
    'more read view views count number no num name'
  ).split(' '),
)
/** Names of properties of listed things. Classes with other words describe the look. */
const KNOWN = new Set(
  // Of goods and offers.
  (
    'brand maker manufacturer model version edition format size sizes color colour colors weight ' +
    'material capacity quantity unit units volume discount saving savings shipping delivery condition ' +
    'warranty seller vendor store shop bid bids deposit fee tax stock sku code isbn ean mpn energy ' +
    'fuel mileage engine transmission power speed range memory storage cpu ram gpu screen display ' +
    // Properties of places, homes and travel.
    'address street locality city town region county state country zip postcode postal_code location ' +
    'district distance area surface rooms room bedrooms beds bathrooms baths floor floors building ' +
    'platform gate destination origin departure arrival stops airline carrier hotel cuisine ' +
    // Properties of people, work and learning.
    'author authors artist artists actor actors cast director directors writer publisher editor ' +
    'translator narrator host speaker speakers company employer organization organisation team agent ' +
    'agency contact phone tel telephone fax email website role position job department degree school ' +
    'university salary wage pay experience level grade age gender nationality owner user member ' +
    'teacher instructor student reviewer party club league player ' +
    // Properties of works, news and programs.
    'subtitle category categories genre genres topic topics subject subjects tag tags keyword ' +
    'keywords language languages license source domain site channel album track season ' +
    'episode chapter chapters pages length duration runtime time year date deadline status type ' +
    'kind series abstract citation journal venue conference rank ranking score scores rating votes ' +
    'points stars stargazers forks watchers issues commit commits downloads installs followers subscribers ' +
    'members karma reputation likes shares replies answers comments reviews viewers badge difficulty ' +
    'servings calories ingredients yield result winner goals assists wins losses draws budget revenue ' +
    'population height width depth temperature humidity wind rain ' +
    // The same properties in other languages.
    'marke hersteller farbe größe groesse gewicht ort stadt strasse kategorie kategorien quelle ' +
    'marque couleur taille ville categorie auteur marca tamaño ciudad categoria categorias autor ' +
    'fecha lugar fuente merk kleur maat plaats'
  ).split(' '),
)
/** Units of counts in lists, besides those that have a role. */
const COUNTED = new Set(
  (
    'star stars fork forks bid bids bed beds bedroom bedrooms bath baths bathroom bathrooms room rooms ' +
    'sqft people guests nights seats photos videos songs tracks episodes chapters pages words jobs ' +
    'members followers subscribers installs ratings servings ingredients watchers issues commits ' +
    'releases packages contributors projects courses lessons students employees citations plays ' +
    'listeners viewers shares sold left offers miles points votes votos'
  ).split(' '),
)
const MOST_WORDS = 5
/** Words that qualify a known word. */
const NARROWER = new Set(['postal', 'start', 'end', 'release', 'due', 'living', 'street', 'latest'])
/** Words that describe the look if they are only a part of a name: `full-width`, `font-size`. */
const PROPERTIES = new Set(
  (
    'color colors colour colours size sizes height width weight depth screen display position state ' +
    'speed power volume material'
  ).split(' '),
)
/** Item properties whose values have their own columns. */
const OTHER_PROPERTY = /^(?:article_?body|text|description|headline|name|url|image|review_?body)$/i
/** The value does not matter: `3 days ago` is a date at every reference time. */
const SOME_TIME = Date.UTC(2020, 0, 15)
const SOME_DAY = '2020-01-15'
const LONGEST_NAME = 40
/** `Organisation: Office of Maps` */
const LABEL = /^(\p{L}[\p{L} ]{2,25}):\s\S/u
/** Maximum number of characters of an element around a value, in addition to twice the value's. */
const MOST_BESIDE = 20
/** Maximum number of nodes between a term and its description. */
const MOST_STEPS = 10
/** Maximum number of levels above an unnamed element whose names are read. */
const MOST_AROUND = 2
/** `12 stars today`, and `Cited by 40`. */
const BEFORE =
  /^[(+]?(?:\d{1,4}|\d[\d.,]*[.,]\d+)(?:\s?[km](?!\p{L}))?\+?\s(\p{Ll}{3,}(?:\s\p{Ll}{2,}){0,2})$/u
const AFTER = /^(Cited by)\s\d[\d.,]*$/u
/** Names with the same meaning as a role. */
const SYNONYMS: Readonly<Record<string, string>> = {
  tel: 'phone',
  telephone: 'phone',
  mail: 'email',
  vendor: 'brand',
  employer: 'company',
  lang: 'language',
  site: 'domain',
  postcode: 'postal_code',
  zip: 'postal_code',
  stargazers: 'stars',
}

/**
 * Returns the columns that have no role, but a name from the classes of elements with short texts.
 * A column with the same text in all items is left out.
 */
export function namedColumns(
  items: readonly Item[],
  parts: readonly (readonly Element[])[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): readonly NamedColumn[] {
  const columns = new Map<string, (Element | null)[]>()
  const repeated = new Map<string, Set<number>>()
  const namings = new Map<string, Naming>()
  const texts = new Map<string, Set<string>>()
  const encoded = new Set<string>()
  for (const [index, item] of items.entries()) {
    const own = parts[index] ?? []
    const ownTexts = new Set(own.map((part) => textStart(part, LONGEST_VALUE + 1, budget)))
    for (const element of valuesIn(item, own, budget)) {
      const address = addressIn(element)
      const text = address ?? textStart(element, LONGEST_VALUE + 1, budget)
      const naming =
        ownTexts.has(text) || labels.has(text)
          ? null
          : namingOf(element, item.element, text, budget)
      if (naming === null) continue
      const { name } = naming
      if (!namings.has(name)) namings.set(name, naming)
      if (address?.includes('%') === true) encoded.add(name)
      const column = columns.get(name) ?? items.map(() => null)
      if (column[index] !== null) {
        const isOne = naming.around === undefined && !/^\P{L}*$/u.test(text)
        if (isOne) repeated.set(name, (repeated.get(name) ?? new Set()).add(index))
        continue
      }
      column[index] = naming.around ?? element
      columns.set(name, column)
      texts.set(name, (texts.get(name) ?? new Set()).add(text))
    }
  }
  const least = Math.max(LEAST_ITEMS, items.length * LEAST_FILLED)
  return [...columns]
    .filter(
      ([name, elements]) =>
        // A recipe has no step that decodes `ann%40a.example`.
        !encoded.has(name) &&
        elements.filter((element) => element !== null).length >= least &&
        (texts.get(name)?.size ?? 0) > 1,
    )
    .slice(0, MOST_COLUMNS)
    .map(([name, elements]) => ({
      name,
      elements,
      isList: (repeated.get(name)?.size ?? 0) >= least,
      isCount: namings.get(name)?.isCount ?? false,
      path: namings.get(name)?.path ?? null,
      isInLink: elements.every((element) => element === null || addressIn(element) !== null),
    }))
}

const ADDRESS = /^(mailto|tel):([^?#\s]{1,200})/i

/** The address of a link, if its text is something else: `Write to us`. */
function addressIn({ name, attribs, children }: Element): string | null {
  const [, scheme = '', address = ''] =
    name === 'a' ? (ADDRESS.exec(attribs['href'] ?? '') ?? []) : []
  if (address === '') return null
  const text = children.map((child) => (isText(child) ? child.data : '')).join('')
  return (scheme.toLowerCase() === 'tel' ? /\d{3}/ : /@/).test(text) ? null : address
}

/** The elements of an item with a short text of their own, outside its other columns. */
export function* valuesIn(
  { below }: Item,
  parts: readonly Element[],
  budget: PageBudget,
): Generator<Element> {
  let reading: Element | null = null
  budget.work(2 * Math.min(MOST_READ, below.length) * (1 + parts.length))
  for (const element of below.slice(0, MOST_READ)) {
    if (reading !== null && isWithin(element.startIndex, reading)) continue
    if (NO_VALUE.has(element.name) || isHidden(element)) {
      reading = element
      continue
    }
    const own = ownText(element)
    // With a dash or a bracket before it, the number would be read as negative.
    if (!/[\p{L}\d]/u.test(own) || MONEY.test(own) || /^[-–−(]\s?\d/.test(own)) continue
    if (textStart(element, LONGEST_VALUE + 1, budget).length > LONGEST_VALUE) continue
    const isUsed = parts.some(
      (part) =>
        part === element ||
        isWithin(element.startIndex, part) ||
        isWithin(part.startIndex, element),
    )
    if (isUsed) continue
    reading = element
    yield element
  }
}

/** The name of an element, and its origin. `null`: it has no name. */
function namingOf(
  element: Element,
  item: Element,
  text: string,
  budget: PageBudget,
): Naming | null {
  if (element.name === 'dd') return namedByTerm(element, budget)
  if (element.name === 'a') {
    const [, scheme = ''] = ADDRESS.exec(element.attribs['href'] ?? '') ?? []
    if (scheme !== '')
      return {
        name: /^tel$/i.test(scheme) ? 'phone' : 'email',
        path: `.//a[starts-with(${addressInPath(scheme)}, '${scheme.toLowerCase()}:')]`,
      }
  }
  let node = element
  for (let level = 0; node !== item && level <= MOST_AROUND; level++) {
    const heading = node.parent === item ? headingOf(node, budget) : null
    const name = heading === null ? ownName(node) : namedBy(nameFrom(heading))
    if (name !== null)
      return level === 0 || !saysMore(node, text, budget) ? name : { ...name, around: node }
    const label = level === 0 ? namedByText(element.name, text) : null
    if (label !== null) return label
    const { parent } = node
    if (parent === null || !isTag(parent)) break
    // If an element contains much more than a value, its name is not that of the value.
    if (textStart(parent, LONGEST_VALUE + 1, budget).length > 2 * text.length + MOST_BESIDE) break
    node = parent
  }
  return namedByForm(element.name, text)
}

/** The address of a link in XPath, with its scheme in lower case, because `MAILTO:` is valid too. */
function addressInPath(scheme: string): string {
  const lower = scheme.toLowerCase()
  return scheme === lower ? '@href' : `translate(@href, '${lower.toUpperCase()}', '${lower}')`
}

/** `1971` and `2h 10m` need no name. */
function namedByForm(tag: string, text: string): Naming | null {
  if (/^(?:19|20)\d\d$/.test(text))
    return { name: 'year', path: `.//${tagInPath(tag)}[number(.) >= 1900 and number(.) < 2100]` }
  if (!/^\d{1,3}\s?h(?:\s?\d{1,2}\s?m(?:in)?)?$|^\d{1,3}\s?min$/.test(text)) return null
  const letters = text.replace(/[\d\s]/g, '')
  return {
    name: 'duration',
    path: `.//${tagInPath(tag)}[translate(normalize-space(), '0123456789 ', '') = '${letters}']`,
  }
}

/** True if an element has words or numbers besides a text in it: `Nov` beside `12`. */
function saysMore(element: Element, text: string, budget: PageBudget): boolean {
  return /[\p{L}\d]/u.test(textStart(element, LONGEST_VALUE + 1, budget).replace(text, ''))
}

/**
 * True for counts with their unit (`12 stars today`, `Cited by 40`) and for texts with a label
 * (`Maker: Acme`).
 */
function namedByText(tag: string, text: string): Naming | null {
  const pathOf = (word: string): string => `.//${tagInPath(tag)}[contains(., '${word}')]`
  const [, words = ''] = BEFORE.exec(text) ?? AFTER.exec(text) ?? []
  if (words !== '') {
    const [first = ''] = words.split(' ')
    if (isTime(text) || !(COUNTED.has(first) || words.startsWith('Cited by'))) return null
    const name = nameFrom(words)
    return name === null
      ? null
      : { name, isCount: true, path: pathOf(first === 'Cited' ? words : first.replace(/s$/, '')) }
  }
  const label = LABEL.exec(text)?.[1]
  const name = label === undefined ? null : nameFrom(label)
  return name === null ? null : { name, path: pathOf(`${label}:`) }
}

/** True for a date or an age. `9 stars today` is the time of a count. */
function isTime(text: string): boolean {
  const date = parseDate(text, { now: SOME_TIME })
  return date !== null && date !== SOME_DAY
}

/** The name that an element gives itself by its attributes. */
function ownName(element: Element): Naming | null {
  const { name, attribs } = element
  const property = propertyOf(element)
  const named = property === '' || OTHER_PROPERTY.test(property) ? null : nameFrom(property)
  if (named !== null) return { name: named }
  const tested = nameInClass(hookOf(element)?.value ?? '')
  if (tested !== null) return { name: tested }
  for (const stableClass of stableClasses(element)) {
    const className = nameInClass(stableClass)
    if (className !== null) return { name: className }
  }
  const { title = '' } = attribs
  if (name !== 'a' && title.length < LONGEST_NAME && /^\p{L}[\p{L} ]+$/u.test(title))
    return namedBy(nameFrom(title), `.//${tagInPath(name)}[@title='${title}']`)
  if (name !== 'a') return null
  const href = attribs['href'] ?? ''
  const [, company, last = ''] =
    /\/(company|companies|employers?)[/?]|\/(\p{Ll}{4,20})\/?$/u.exec(href) ?? []
  return company === undefined
    ? namedBy(nameInClass(last), `.//a[contains(@href, '/${last}')]`)
    : namedBy('company', `.//a[contains(@href, '/${company}')]`)
}

function namedBy(name: string | null, path?: string): Naming | null {
  return name === null ? null : { name, ...(path !== undefined && { path }) }
}

function namedByTerm(element: Element, budget: PageBudget): Naming | null {
  let before = element.prev
  for (let steps = 0; before !== null && steps < MOST_STEPS; steps++) {
    if (isTag(before) && before.name === 'dt') break
    before = before.prev
  }
  if (before === null || !isTag(before) || before.name !== 'dt') return null
  const term = textStart(before, LONGEST_VALUE + 1, budget)
  const name = nameFrom(term)
  if (name === null || term.length > LONGEST_VALUE || term.includes("'")) return null
  return { name, path: `.//dt[normalize-space()='${term}']/following-sibling::dd[1]` }
}

/** `s-item__bidCount` → `bid`. `null`: no word names a property. */
function nameInClass(text: string): string | null {
  const words = wordsOf(text)
  const index = words.findLastIndex((word) => !VAGUE.has(word))
  const [word = '', before = ''] = [words[index], words[index - 1]]
  if (!KNOWN.has(word) || (PROPERTIES.has(word) && words.length > 1)) return null
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
    .slice(0, LONGEST_VALUE)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => /^\p{L}/u.test(word))
}
