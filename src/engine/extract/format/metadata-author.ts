import { isList, isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { Element } from 'domhandler'
import { QuickPass, type Parts } from '../page/in-turns.ts'
import { hrefIn } from '../page/link-address.ts'
import type { PageContent } from '../page/page-content.ts'
import { hasWord } from '../select/attribute-matcher.ts'
import { NO_ATTRIBUTES } from '../tree/tag-attributes.ts'
import { BLOCK, collapse, textStart } from '../tree/text-content.ts'
import { compileJsonPath, matchesIn } from '../value/json-path.ts'
import {
  BOX,
  boxedNames,
  firstLine,
  labelledNames,
  namesOfLogin,
  PERSON,
  sourceNames,
  statedAuthors,
  textAfter,
} from './author-signs.ts'
import { nameOf } from './beside.ts'
import { isSite, leadsHome } from './metadata-title.ts'

/** Authors of a page, not of its comments and reviews. */
const STATED = [
  compileJsonPath('$.author'),
  compileJsonPath('$[*].author'),
  compileJsonPath("$['@graph'][*].author"),
  compileJsonPath('$.mainEntity.author'),
  compileJsonPath('$..[?@.headline].author'),
]
const NAMED = compileJsonPath("$..[?@['@id'] && @.name]")
const PUBLISHER = compileJsonPath('$..publisher')
/** Names of meta elements with the publisher. */
const PUBLISHERS = ['dc.publisher', 'dcterms.publisher', 'publisher', 'citation_publisher']
/** The legal form at the end of a company's name. In small letters it may be a family name: `Sa`. */
const COMPANY =
  /(?:^|[\s,])(?:g?GmbH|AG|KG|e\. ?V\.|eV|Inc\.?|INC\.?|Ltd\.?|LTD\.?|LLC|S\.A\.|SA|B\.V\.|BV|PLC|plc|Oy|ApS)$/

const AUTHOR_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(?:byline|by-line|author|autor|auteur|autore|verfasser|writer|` +
    String.raw`reporter)s?(?:[\s_-]*name|[\s_-]+(?:link|vcard|header|txt|text)){0,2}(?:$|\s)`,
  'i',
)
/** Words that come before a name, in the languages of many pages. */
const BEFORE_NAME = new RegExp(
  '^(?:(?:(?:written|posted|published|reported|created|story|article|text|words|' +
    String.raw`review(?:ed)?)(?:\s+on\b.{0,40}?)?\s+)?by|(?:(?:veröffentlicht|erstellt|geschrieben|` +
    'verfasst|verfaßt|gepostet|eingestellt|eine? (?:artikel|beitrag|gastbeitrag|kolumne|' +
    String.raw`kommentar|essay|reportage|rezension|text))(?:\s+am\b.{0,40}?)?\s+)?von|(?:(?:publié|écrit|rédigé|` +
    String.raw`posté)(?:\s+le\b.{0,40}?)?\s+)?par|(?:(?:escrito|publicado|redactado|` +
    String.raw`enviado)(?:\s+el\b.{0,40}?)?\s+)?por|(?:(?:scritto|pubblicato)\s+)?da|` +
    String.raw`(?:geschreven\s+)?door|af|av|autor(?:in|en)?|author|auteur|autore|redakteur(?:in)?|redaktion(?=\s*:)|` +
    String.raw`text(?:\s(?:und|and|&|et|y)\s\p{L}+)?|texte|texto|verfasser(?:in)?|vom|` +
    String.raw`von\s+unser(?:em|er)\s+\p{L}+)(?:\s*:\s*|\s+)`,
  'iu',
)
/** A line that names its author: a preposition, or a role with a colon, and a name. */
const BYLINE = new RegExp(
  String.raw`^(?:(?:by|von|par|por|door)(?:\s?:)?|(?:(?:eine?\s+)?(?:kolumne|kommentar|gastbeitrag|` +
    String.raw`beitrag|artikel|essay|reportage|rezension|text)|words|texte|texto)\s+(?:by|von|par|por)|` +
    '(?:(?:written|posted|published|reported|geschrieben|verfasst|' +
    String.raw`veröffentlicht|erstellt|publié|écrit|rédigé|escrito|publicado|scritto)\s+(?:by|von|par|` +
    'por|da))|(?:autor(?:in)?|author|auteur|autore|verfasser(?:in)?|words|texte|texto|' +
    String.raw`text(?:\s(?:und|and|&|et|y)\s\p{L}+)?|redakteur(?:in)?|redaktion)\s*:)\s+(?=\p{L})`,
  'iu',
)
/**
 * Words with a small letter that no name has. A line with several of them is a sentence, such as
 * `From bread to cake by way of ...`.
 */
const OTHER_WORD = new RegExp(
  '(?<= )(?!(?:and|und|et|y|e|i|og|och|en|by|von|par|por|door|de|del|della|der|den|des|di|da|do|' +
    String.raw`dos|das|du|van|vom|zu|zur|zum|la|le|al|el|bin|ibn|ten|ter|af|av)(?!\p{L}))\p{Ll}+`,
  'gu',
)
const MOST_OTHER_WORDS = 2
/** Text that may follow a name: a date, a separator, a link to more. */
const AFTER_NAME = new RegExp(
  ' ?[|•·●]| /|(?<! )/(?!\\p{L}{2,4}(?!\\p{L}))|' +
    ' ?\\((?!(?:\\p{L}\\.){1,4}\\) \\p{L})| [-–—] | \\d|,? (?:special to|for) the(?!\\p{L})|' +
    ' (?:on|am|le|el|il|um|at) (?:\\d|\\p{L}{1,15}\\.? \\d)|' +
    ' (?:veröffentlicht|publiziert|published|updated|aktualisiert|publié|publicado|pubblicato|' +
    'edited by|alle (?:artikel|beiträge)|all posts|view (?:all|bio)|more (?:by|from)|follow)(?!\\p{L})|' +
    String.raw`,? (?:fotos?|photos?|bild(?:er)?|illustration(?:en|s)?|` +
    String.raw`grafik)(?:\s?:| (?:von|by|par|por) )| \p{L}{3,9}\.? \d{1,2}, \d|` +
    ' (?:(?:staff|senior|chief|associate|contributing|deputy|managing|political|news|sports|games|' +
    'science|business|technology) ){1,2}(?:writer|reporter|editor|correspondent|columnist)$',
  'iu',
)
/**
 * Matches addresses, words before a name, and texts of forms, credits of pictures, lists of
 * comments and counts, which are not names.
 */
const NO_NAME = new RegExp(
  String.raw`^(?:admin\w*|wordpress\w*|root|user|guest|gast|author|autor|anonym\w*|unknown|null|` +
    String.raw`undefined|none|name|webmaster|home|email|e-mail|date|datum|fecha|n\/?a|zvg|` +
    'view|by|von|par|por|door|(?:posted|published|written|publiziert|veröffentlicht|geschrieben|' +
    'erstellt|gepostet|publié|publicado|' +
    String.raw`pubblicato)(?: (?:on|by|am|von|le|el|il|in|at))?)$|^(?:fotos?|photos?|bild(?:er)?)\s?:|` +
    '^stand$|^(?:zuletzt|(?:last )?(?:updated?|modified|edited)|aktualisiert|geändert)(?!\\p{L})|' +
    String.raw`admin$|[*@<>{}=?!]|^https?$|` +
    String.raw`(?:sagt|says|schreibt|wrote)$|(?<!\p{L})(?:minutes?|kommentare?|comments?)(?!\p{L})|` +
    String.raw`\d ?min(?:uten|\.)|^copyright(?!\p{L})|©`,
  'iu',
)
/** More authors after the first. */
const OTHERS = /^(?:, | (?:und|and|et|y|&) )\p{Lu}/u
/** A first name and a family name. */
const WITH_FAMILY = /^\S+ \p{Lu}[\p{L}.'’-]+$/u
const ADDRESS = /^(?:https?:|www\.|[/@#])/i
/** Names of roles, such as an editorial office, which write for a site that names no person. */
const ROLE = new RegExp(
  String.raw`^(?:die\s+)?(?:redaktion|redaction|rédaction|redacción|redazione|editor|editors|` +
    String.raw`editorial|staff|pressestelle|presse)$|^(?:redaktion|rédaction|redacción|redazione)\s|` +
    String.raw`\s(?:redaktion|editorial team|staff)$`,
  'iu',
)
/** The address of the page of an author: `/author/ann-field`. */
const AUTHOR_PAGE =
  /\/(?:authors?|autor(?:en|es|in)?|auteurs?|autore|writers?|staff|redakteur|journalists?|contributors?)\/([^/?#]+)/i
/** A word before the name, in an element of its own. */
const LABEL = /^(?:autor(?:in)?|author|auteur|autore|verfasser(?:in)?|von|by|par|por)\s?:$/i
const LONGEST_LABEL = 20
const LONGEST_NAME = 100
const MOST_WORDS = 12
/** Maximum number of elements, and of authors in data, that are read for a name. */
const MOST_READ = 50
/** Steps to check the names of an element. */
const NAMING_STEPS = 5
/** Elements after the title in which a line may name the author. */
const AFTER_TITLE = 60
/** The same before the title, in the line above it. */
const BEFORE_TITLE = 12
const HEADING = /^h[1-6]$/
/** Elements that may hold a word before a name, or a line with it. */
const LABELS = new Set(['span', 'b', 'strong', 'i', 'em', 'td', 'th'])
/** Not one line: each of their cells is one. */
const ROWS = new Set(['table', 'tbody', 'tr'])
/** Elements before and after the title in which a link may lead to the page of the author. */
const AROUND_TITLE = [30, 150] as const

/**
 * Finds a page's author: stated in meta elements and in data, then in elements whose names say so,
 * then in a line such as `By Ann Field` below the title, then behind a label or in a box about the
 * author. The name of the site is not an author. `elements`: those that may hold the name.
 */
export function* authorOf(
  page: PageContent,
  elements: readonly Element[],
  heading: Element | null,
  names: readonly string[],
): Parts<string | null> {
  const stated = yield* statedAuthors(page)
  const take = (texts: readonly string[], accepts: (name: string) => boolean): string | null => {
    const authors = new Set<string>()
    for (const text of texts) {
      const name = nameIn(text)
      if (name !== null && accepts(name)) authors.add(name)
    }
    return authors.size === 0 ? null : [...authors].join(', ')
  }
  const publishers = new Set([...companiesOf(page), ...PUBLISHERS.map((name) => page.meta(name))])
  const isPerson = (name: string): boolean =>
    !isSite(name.split(', ', 1)[0] ?? '', names) &&
    !ROLE.test(name) &&
    !COMPANY.test(name) &&
    !publishers.has(name)
  const { persons, typed, others } = statedNames(page)
  yield
  const marked = yield* markedNames(page, elements, heading)
  let byline: readonly string[] | undefined
  const lines = (): readonly string[] => (byline ??= bylines(page, elements, heading))
  const spelled = (texts: readonly string[]): readonly string[] => {
    const shown = texts.length === 1 ? [...marked, ...persons] : []
    return texts.map((text) => fullerName(text, shown, lines))
  }
  const named = firstName([...stated.flat(), ...persons, ...others, ...marked])
  for (const texts of [typed, ...stated]) {
    const name = take(spelled(texts), isPerson)
    if (name !== null) return name
  }
  return (
    take(spelled(persons), isPerson) ??
    take(marked, isPerson) ??
    take(lines(), isPerson) ??
    take(linkedNames(page, elements, heading), isPerson) ??
    take(yield* labelledNames(page, elements), isPerson) ??
    take(yield* boxedNames(page, elements), isPerson) ??
    take(yield* namesOfLogin(page), isPerson) ??
    // If the page names only its site, a line may name the agency whose text it is. A person may
    // be the site.
    (named === null || PERSON.test(named) ? null : take(yield* sourceNames(page), isPerson)) ??
    named
  )
}

/**
 * A stated name as the page shows it: the same name instead of a login, a first name with its
 * family name, or the first of several authors with the others.
 */
function fullerName(
  text: string,
  marked: readonly string[],
  lines: () => readonly string[],
): string {
  const stated = nameIn(text)
  if (stated === null) return text
  const isFuller = (name: string): boolean =>
    isLoginOf(text, name) || (name.startsWith(stated) && OTHERS.test(name.slice(stated.length)))
  const shown = marked.find(isFuller)
  if (shown !== undefined) return shown
  if (/\s/.test(stated)) return text
  return (
    [...marked, ...lines()]
      .map((line) => nameIn(line) ?? '')
      .find((name) => name.startsWith(`${stated} `) && WITH_FAMILY.test(name)) ?? text
  )
}

/** The publishers that the page's data names, if they are no persons. */
export function companiesOf(page: PageContent): ReadonlySet<string> {
  const names = new Set<string>()
  for (const publisher of matchesIn(page.data, PUBLISHER, page.budget)) {
    if (!isObject(publisher)) continue
    const types = publisher['@type']
    const isPerson = isList(types) ? types.includes('Person') : types === 'Person'
    const name = textAt(publisher, 'name')
    if (name !== null && !isPerson) names.add(collapse(name.slice(0, LONGEST_NAME)))
  }
  return names
}

/** True for a name in one word, `annfield`, beside the same name as it is written: `Ann Field`. */
function isLoginOf(login: string, text: string): boolean {
  const name = nameIn(text)
  return (
    name !== null &&
    name !== login &&
    !/\s/.test(login) &&
    name.replace(/\s/g, '').toLowerCase() === login.replace(/[._-]/g, '').toLowerCase()
  )
}

/** The first name in some texts, which may be counts of minutes. */
function firstName(texts: readonly string[]): string | null {
  for (const text of texts) {
    const name = nameIn(text)
    if (name !== null) return name
  }
  return null
}

/** Returns the name in a text that names an author, or `null`. */
function nameIn(text: string): string | null {
  const line = collapse(text.slice(0, 3 * LONGEST_NAME).replaceAll('\u00ad', ''))
  if (ADDRESS.test(line)) return null
  const named = line.replace(BEFORE_NAME, '').replace(BEFORE_NAME, '')
  const end = named.search(AFTER_NAME)
  const name = (end === -1 ? named : named.slice(0, end))
    .replace(/^[ ,;:|–—'"-]{1,5}/, '')
    .replace(/[ ,;:|–—'"-]{1,5}$/, '')
  return name.length > LONGEST_NAME ||
    name.split(/\s+/).length > MOST_WORDS ||
    !/\p{L}/u.test(name) ||
    NO_NAME.test(name)
    ? null
    : name
}

interface StatedNames {
  readonly persons: readonly string[]
  /** Those whose type is that of a person, which are surer than texts in meta elements. */
  readonly typed: readonly string[]
  /** Organisations. */
  readonly others: readonly string[]
}

/** Returns the authors that the page's data names. */
function statedNames(page: PageContent): StatedNames {
  const persons: string[] = []
  const typed: string[] = []
  const others: string[] = []
  let byId: ReadonlyMap<string, JsonObject> | null = null
  const add = (value: Json): void => {
    if (typeof value === 'string') persons.push(value)
    if (!isObject(value)) return
    const id = textAt(value, '@id')
    const isNamed = textAt(value, 'name') !== null || id === null
    const named = isNamed ? value : (byId ??= namedById(page)).get(id)
    const name = named === undefined ? null : textAt(named, 'name')
    if (named === undefined || name === null) return
    if (textAt(named, '@type') === 'Person') typed.push(name)
    const isOther = textAt(named, '@type')?.endsWith('Organization') === true
    if (isOther) others.push(name)
    else persons.push(name)
  }
  for (const path of STATED) {
    for (const author of matchesIn(page.data, path, page.budget))
      if (isList(author)) author.slice(0, MOST_READ).forEach(add)
      else add(author)
    if (persons.length > 0) break
  }
  return { persons: persons.slice(0, MOST_READ), typed: typed.slice(0, MOST_READ), others }
}

/** Returns the parts of the page's data that have an `@id` and a name. */
function namedById(page: PageContent): ReadonlyMap<string, JsonObject> {
  const parts = matchesIn(page.data, NAMED, page.budget).filter((author) => isObject(author))
  return new Map(parts.map((part) => [textAt(part, '@id') ?? '', part]))
}

function textAt(value: JsonObject, name: string): string | null {
  const text = Object.hasOwn(value, name) ? value[name] : undefined
  return typeof text === 'string' && text !== '' ? text : null
}

/**
 * Returns the text of the first element that is marked as the author and holds a name. Above the
 * title, a link to the first page of the site names the site.
 */
function* markedNames(
  page: PageContent,
  elements: readonly Element[],
  heading: Element | null,
): Parts<readonly string[]> {
  page.budget.work(NAMING_STEPS * elements.length)
  const pass = new QuickPass(page.budget)
  const marked: Element[] = []
  const named: Element[] = []
  for (const element of elements) {
    if (pass.ends()) yield
    if (isMarked(element)) marked.push(element)
    else if (element.attribs !== NO_ATTRIBUTES && saysAuthor(element)) named.push(element)
  }
  for (const element of [...marked.slice(0, MOST_READ), ...named.slice(0, MOST_READ)]) {
    const text = textStart(element, 3 * LONGEST_NAME, page.budget)
    const name = nameIn(text)
    if (name === null) continue
    const isBelow = heading !== null && (element.startIndex ?? 0) > (heading.startIndex ?? 0)
    if (isBelow || !leadsHome(page, element)) return [name]
  }
  return []
}

function isMarked({ name, attribs }: Element): boolean {
  return (
    name === 'byline' ||
    attribs['itemprop'] === 'author' ||
    hasWord(attribs['rel']?.toLowerCase() ?? '', 'author')
  )
}

function saysAuthor(element: Element): boolean {
  const name = nameOf(element)
  return AUTHOR_NAME.test(name) && !BOX.test(name)
}

/** The text of the first link around the title that leads to the page of the author it names. */
function linkedNames(
  page: PageContent,
  elements: readonly Element[],
  heading: Element | null,
): readonly string[] {
  const index = heading === null ? -1 : elements.indexOf(heading)
  if (index === -1) return []
  const [before, after] = AROUND_TITLE
  for (const element of elements.slice(Math.max(0, index - before), index + after)) {
    const address = element.name === 'a' ? (hrefIn(element) ?? '') : ''
    const [, part] = AUTHOR_PAGE.exec(address) ?? []
    if (part === undefined) continue
    const text = textStart(element, LONGEST_NAME + 1, page.budget)
    if (isNamedIn(part, nameIn(text) ?? '')) return [text]
  }
  return []
}

/** True if a part of an address has the words of a name, at least two: `ann-field`. */
function isNamedIn(part: string, name: string): boolean {
  const letters = (text: string): string =>
    text.normalize('NFD').replace(/\P{L}/gu, '').toLowerCase()
  const words = name
    .split(/[\s-]+/)
    .map(letters)
    .filter((word) => word.length > 1)
  const slug = letters(part)
  return words.length > 1 && words.every((word) => slug.includes(word))
}

/** The text of a line without the sign that parts it from the one before. */
function unled(line: string): string {
  return line.replace(/^[-–—|·•] /, '')
}

/** Returns the first line below the title that names an author, or the line above it. */
function bylines(
  page: PageContent,
  elements: readonly Element[],
  heading: Element | null,
): readonly string[] {
  const index = heading === null ? -1 : elements.indexOf(heading)
  if (index === -1) return []
  const above = elements.slice(Math.max(0, index - BEFORE_TITLE), index)
  const lines = [
    ...elements.slice(index + 1, index + 1 + AFTER_TITLE),
    // Below another heading they name the author of another text.
    ...(above.some(({ name }) => HEADING.test(name)) ? [] : above),
  ]
  for (const element of lines) {
    if (ROWS.has(element.name) || !(BLOCK.has(element.name) || LABELS.has(element.name))) continue
    const whole = unled(textStart(element, LONGEST_NAME + 1, page.budget))
    const text = BYLINE.test(whole) ? unled(firstLine(element, page)) : whole
    if (text.length <= LONGEST_LABEL && LABEL.test(text)) {
      const name = textAfter(element, page)
      if (name.length <= LONGEST_NAME && /^\p{Lu}/u.test(name)) return [name]
    }
    if (
      text.length <= LONGEST_NAME &&
      /^\p{Lu}/u.test(text.replace(BYLINE, '')) &&
      BYLINE.test(text) &&
      (nameIn(text)?.match(OTHER_WORD)?.length ?? 0) < MOST_OTHER_WORDS
    )
      return [text]
  }
  return []
}
