import { isTag, isText } from 'domhandler'
import type { ChildNode, Element } from 'domhandler'
import { filterParts, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { BLOCK, collapse, textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { nameOf } from './beside.ts'

const DATED_NAME = new RegExp(
  String.raw`(?:^|[\s_-]|[a-z](?=[DPT]))(?:[Dd]ate|DATE|[Dd]atum|fecha|[Pp]ublished|posted|authored|submitted|` +
    String.raw`[Tt]ime(?:-?[Ss]tamp|data)|[Pp]ub-?[Dd]ate|meta|byline|dateline)(?:$|[\s_-]|(?=[A-Z]))|` +
    String.raw`(?:^|\s)time(?:$|\s)`,
)
/** Words before the day of publication, in the languages of many pages. */
const LABEL = new RegExp(
  '(?:published|posted|created|date|veröffentlicht|erschienen|erstellt|datum|stand|eingestellt|' +
    'publié|publicado|fecha|pubblicato|geplaatst|gepubliceerd|publicerad|publiceret|publisert|' +
    '(?:mitteilung|meldung|artikel|beitrag|nachricht) vom)(?: (?:on|am|le|el|il|op|den))? ?:? ?$',
  'i',
)
/** A label that says which day it is: `Closing date`, `Ablaufdatum`. */
const COMPOUND = /\p{L}[ -]?(?:date|datum) ?:? ?$/iu
const OF_PUBLICATION = /publi|post|artic|artikel|creat|erstell|erschein|veröffentlich/i
/** Words before the day of the last change, for a page that shows no other day. */
const CHANGE = new RegExp(
  '(?:last (?:modified|updated|edited|changed|revised)|letzte (?:änderung|aktualisierung)|' +
    'zuletzt (?:geändert|aktualisiert|bearbeitet)|dernière (?:modification|mise à jour)|' +
    'última (?:modificación|actualización))(?: (?:on|am|le|el))? ?:? ?$',
  'i',
)
/** Matches years in which a web page can have been published. */
const YEAR = /(?<!\d)(?:199\d|20\d\d)(?!\d)|(?<!\d)\d\d?\.\d\d?\.\d\d(?!\d)/
/** A day at the start of a text, before a dash: `5.1.2026 - The harbour is closed.` */
const DATELINE = /^\d{1,2}(?:\.|\/|\. \p{L}{3,10} )\d{0,2}[./]?(?:19|20)\d\d ?[-–—] ?\p{L}/u
/** A line between the numbers of a day: `5 | 1 | 2026`. */
const BARS = /(?<=\b\d{1,2}) ?\| ?(?=\d)/g
/** Steps to check the names and texts of an element. */
const DATING_STEPS = 5
/** Longer texts are not only a date. */
const LONGEST_DATE = 200
/** Steps to look for a year in the texts of an element. */
const LABEL_STEPS = 10
/** Maximum number of elements that are read for a date. */
const MOST_DATED = 100
/** Number of elements before and after the title that may contain its date. */
const LONGEST_LABEL = 40
/** Elements within a line that may contain only a date. */
const INLINE = new Set(['span', 'small', 'strong', 'em', 'b', 'i', 'font', 'label', 'time'])
const BEFORE_TITLE = 12
const AFTER_TITLE = 40

/** The days that a page states in meta elements and in data. */
interface StatedDays {
  /** Those of publication, best first. */
  readonly published: readonly (string | null)[]
  /** That of an unnamed event: an editor began the text on it, or changed it. */
  readonly unnamed: string | null
  /** That of publication, or of a change. */
  readonly changed: string | null
}

/**
 * Finds the day on which a page was published: as it is stated, then in its `<time>` elements, its
 * URL, elements whose names say that they hold a date, and the lines around the title. `elements`:
 * those that may hold it. ISO 8601.
 */
export function* dateOf(
  page: PageContent,
  elements: readonly Element[],
  heading: Element | null,
  { published, unnamed, changed }: StatedDays,
): Parts<string | null> {
  const near = around(elements, heading)
  const event = dayIn(unnamed)
  if (event !== null) {
    const shown = firstDate(page, publishing(near, page)) ?? (yield* onlyTime(page, elements))
    return isNear(shown, event) ? shown.slice(0, 10) : asShown(event, page, near)
  }
  const days = published.map(dayIn).filter((day) => day !== null)
  const stated = shownOf(days, near, page) ?? days[0] ?? dayIn(changed)
  if (stated !== null) return asShown(stated, page, near)
  page.budget.work(DATING_STEPS * elements.length)
  const isPublished = ({ attribs }: Element): boolean => attribs['itemprop'] === 'datePublished'
  const times = yield* filterParts(
    elements,
    (element) => element.name === 'time' || isPublished(element),
    page.budget,
  )
  const marked = times.filter(
    (element) => isPublished(element) || Object.hasOwn(element.attribs, 'pubdate'),
  )
  const lines = new Set(near)
  const day =
    timesOf([...marked, ...times.filter((time) => lines.has(time))])[0] ??
    exactDay(firstDate(page, publishing(near, page)), times) ??
    timesOf(times)[0]
  if (day !== undefined) return asShown(day, page, near)
  return (
    dateInUrl(page.url) ??
    firstDate(page, near.filter(isDated)) ??
    firstDate(page, yield* filterParts(elements, isDated, page.budget, MOST_DATED)) ??
    firstDate(
      page,
      near.filter((line) => !isCaption(line, page)),
    ) ??
    (yield* labelledDate(page, elements))
  )
}

/** The days that some elements state. */
function timesOf(elements: readonly Element[]): readonly string[] {
  return elements
    .slice(0, MOST_DATED)
    .map(({ attribs }) => dayIn(attribs['datetime'] ?? attribs['content'] ?? null))
    .filter((day) => day !== null)
}

/** A day that the page shows, with the time of an element that states one on the same day. */
function exactDay(shown: string | null, times: readonly Element[]): string | undefined {
  if (shown === null) return undefined
  return timesOf(times).find((time) => time.slice(0, 10) === shown.slice(0, 10)) ?? shown
}

/** The first days of calendars: systems write them if no day is set. */
const UNSET = /^(?:0|1970-01-01(?:T00:00|$))/

function dayIn(text: string | null): string | null {
  const day = text === null ? null : parseDate(text)
  return day === null || UNSET.test(day) ? null : day
}

/** The lines that may show the day of publication: a label says so, or their name. */
function publishing(lines: readonly Element[], page: PageContent): readonly Element[] {
  return lines.filter(
    (line) => isPublishing(labelBefore(line, page)) || (isDated(line) && !isOfOther(line, page)),
  )
}

function isPublishing(label: string): boolean {
  return (
    LABEL.test(label) &&
    !OTHER_DAY.test(label) &&
    (!COMPOUND.test(label) || OF_PUBLICATION.test(label))
  )
}

/** The text of the element before a node, if only white space is between them. */
function labelBefore({ prev }: ChildNode, page: PageContent): string {
  const isBlank = prev !== null && isText(prev) && prev.data.trim() === ''
  const before = isBlank ? prev.prev : prev
  return before !== null && isTag(before) ? textStart(before, LONGEST_LABEL, page.budget) : ''
}

/** Levels around a `<time>` that say that it is of another text: an item of a list, a heading. */
const ITEM_LEVELS = 3
const ITEM = /teaser|related|card|latest|recent|comment|^li /i
const HEADING = /^h[2-6]$/
const MOST_IN_ITEM = 20

function isOfItem({ parent }: Element): boolean {
  let above = parent
  for (let level = 0; level < ITEM_LEVELS && above !== null && isTag(above); level++) {
    if (ITEM.test(`${above.name} ${nameOf(above)}`)) return true
    const beside = above.children.slice(0, MOST_IN_ITEM)
    if (beside.some((node) => isTag(node) && HEADING.test(node.name))) return true
    above = above.parent
  }
  return false
}

/** The day of the `<time>` elements of a page that are not of other texts, if all have the same. */
function* onlyTime(page: PageContent, elements: readonly Element[]): Parts<string | null> {
  const times = yield* filterParts(elements, ({ name }) => name === 'time', page.budget, MOST_DATED)
  const days = new Set<string>()
  for (const time of times) {
    const day =
      isOfOther(time, page) || isOfItem(time) ? null : dayIn(time.attribs['datetime'] ?? null)
    if (day !== null) days.add(day.slice(0, 10))
  }
  const [only = null] = days
  return days.size === 1 ? only : null
}

/** Of several stated days, the one that the page shows its readers. */
function shownOf(
  days: readonly string[],
  near: readonly Element[],
  page: PageContent,
): string | undefined {
  if (new Set(days.map((day) => day.slice(0, 10))).size < 2) return undefined
  const like = (shown: string | null): string | undefined =>
    days.find((day) => shown !== null && day.slice(0, 10) === shown.slice(0, 10))
  const named = like(firstDate(page, publishing(near, page)))
  if (named !== undefined) return named
  // A line without any name shows one of the stated days.
  for (const line of near) {
    const day = isOfOther(line, page) ? undefined : like(firstDate(page, [line]))
    if (day !== undefined) return day
  }
  return undefined
}

const DAY_MS = 86_400_000
/** A text is written, and corrected, at most so many days before and after it is published. */
const MOST_DAYS_APART = 14

/** True for a day that a page shows, and on which a text of another day may have been published. */
function isNear(shown: string | null, stated: string): shown is string {
  if (shown === null) return false
  const [day, first] = [shown, stated].map((date) => Date.parse(date.slice(0, 10)))
  const days = ((day ?? 0) - (first ?? 0)) / DAY_MS
  return days !== 0 && Math.abs(days) <= MOST_DAYS_APART
}

/**
 * Matches names and texts of the days of a change, of an event that the page is about, and of a
 * member or a person.
 */
const OTHER_DAY = new RegExp(
  'updat|modif|edited|revised|aktualisiert|geändert|mise? à jour|actualizad|aggiornat|event|termin|' +
    'join(?:ed|-?date)|member since|mitglied seit|birth|geboren|' +
    String.raw`(?<!\p{L})stand(?!\p{L})`,
  'iu',
)

/** The beginning of a line below a picture, which may have the day of the picture. */
const CAPTION =
  /^(?:abbildung|abb\.|figure|fig\.|figura|bild|foto|photo|image|picture|karte|map|grafik)(?!\p{L})/iu
const PICTURE = new Set(['figure', 'figcaption'])

function isCaption(line: Element, page: PageContent): boolean {
  return PICTURE.has(line.name) || CAPTION.test(textStart(line, LONGEST_DATE, page.budget))
}

/** True for an element whose name or text says that its day is not that of publication. */
function isOfOther(element: Element, page: PageContent): boolean {
  return (
    OTHER_DAY.test(nameOf(element)) ||
    OTHER_DAY.test(textStart(element, LONGEST_DATE + 1, page.budget))
  )
}

const UTC = /T(\d\d):\d\d(?::\d\d(?:\.\d{1,9})?)?Z$/
/**
 * The hour of UTC below which it may still be the day before, in America, and the hours from which
 * it may be the next day, in Asia and in Europe.
 */
const DAY_BEFORE = 10
const NEXT_IN_ASIA = 15
const NEXT_IN_EUROPE = 21

/**
 * The day that a page shows its readers, if it is the one before or after a time in UTC: the site
 * is in another time zone. Else the time. A later day in the text may be that of a change, so the
 * address of the page may differ by more hours.
 */
function asShown(date: string, page: PageContent, near: readonly Element[]): string {
  const hour = UTC.exec(date)?.[1]
  if (hour === undefined) return date
  const day = Date.parse(date.slice(0, 10))
  const isDay = (shown: string | null, next: number): shown is string => {
    const days = shown === null ? 0 : (Date.parse(shown.slice(0, 10)) - day) / DAY_MS
    return (days === -1 && Number(hour) < DAY_BEFORE) || (days === 1 && Number(hour) >= next)
  }
  const inUrl = dateInUrl(page.url)
  if (inUrl !== null) return isDay(inUrl, NEXT_IN_ASIA) ? inUrl.slice(0, 10) : date
  if (Number(hour) >= DAY_BEFORE && Number(hour) < NEXT_IN_EUROPE) return date
  const shown = firstDate(page, near.filter(isDated))
  return isDay(shown, NEXT_IN_EUROPE) ? shown.slice(0, 10) : date
}

function isDated(element: Element): boolean {
  return element.name === 'time' || DATED_NAME.test(nameOf(element))
}

function dateInUrl(url: string): string | null {
  const match = /\/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:\/|-|$)/.exec(url)
  return match === null ? null : parseDate(`${match[1]}-${match[2]}-${match[3]}`)
}

/** Returns the first date that is in the text of one of the elements. */
function firstDate(page: PageContent, elements: readonly Element[]): string | null {
  for (const element of elements.slice(0, MOST_DATED)) {
    const text = textStart(element, LONGEST_DATE + 1, page.budget)
    const date = text.length > LONGEST_DATE ? null : dateIn(text, page)
    if (date !== null) return date
  }
  return null
}

function dateIn(text: string, page: PageContent): string | null {
  if (!YEAR.test(text)) return null
  return parseDate(text.replaceAll(BARS, '.'), { language: page.language })
}

/** Returns the first date that stands behind a word such as `Published`, or `Last edited`. */
function* labelledDate(page: PageContent, elements: readonly Element[]): Parts<string | null> {
  const pass = new QuickPass(page.budget, LABEL_STEPS)
  let changed: string | null = null
  for (const element of elements) {
    if (pass.ends()) yield
    for (const node of element.children.filter(isText)) {
      const { data, prev } = node
      const year = YEAR.exec(data.slice(0, LONGEST_DATE))
      if (year === null) continue
      page.budget.work(LONGEST_DATE)
      const text = collapse(data.slice(0, LONGEST_DATE))
      const digit = text.search(/\d/)
      const label = digit > 0 ? collapse(text.slice(0, digit)) : null
      const before = labelBefore(prev === null ? element : node, page)
      const isPublished = LABEL.test(label ?? before) || (digit === 0 && DATELINE.test(text))
      if (!isPublished && (changed !== null || !CHANGE.test(label ?? before))) continue
      const date = dateIn(text, page)
      if (date !== null && isPublished) return date
      changed ??= date
    }
  }
  return changed
}

/** Returns the title, the lines after it, and those before it. */
function around(elements: readonly Element[], heading: Element | null): readonly Element[] {
  const position = heading === null ? -1 : elements.indexOf(heading)
  if (position === -1) return []
  const isLine = ({ name }: Element): boolean => BLOCK.has(name) || INLINE.has(name)
  return [
    ...elements.slice(position, position + 1 + AFTER_TITLE).filter(isLine),
    ...elements
      .slice(Math.max(0, position - BEFORE_TITLE), position)
      .toReversed()
      .filter(isLine),
  ]
}
