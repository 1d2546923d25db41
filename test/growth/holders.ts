import { readCsv } from '../../src/engine/extract/document/read-csv.ts'
import { readJsonLines } from '../../src/engine/extract/document/read-records.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { parsePageJson } from '../../src/engine/extract/page/parse-json.ts'
import { parseTree } from '../../src/engine/extract/tree/parse-tree.ts'
import { SitemapParser } from '../../src/engine/site/sitemap-parser.ts'
import { PAGES, TEXTS, XMLS, type Family } from './families.ts'
import { KIND_SUBJECTS } from './kind-subjects.ts'
import { IS_SHORT } from './measure.ts'
import type { Holder, Subject } from './measure.ts'
import { PAGE_SUBJECTS, TEXT_SUBJECTS, XML_SUBJECTS } from './subjects.ts'

/** The number of bytes that a tree or a document may hold for each byte of its source. */
const HOLDS = 12

/** A reader of whole pages, with the budget that a page has. */
const of = (
  name: string,
  families: readonly Family[],
  read: (text: string, budget: PageBudget) => unknown,
): Holder => ({
  name,
  families,
  holds: HOLDS,
  prepare: (text) => () => read(text, new PageBudget()),
})

/** JSON whose values take much more memory than their text. */
const SMALL_LISTS: readonly Family[] = Object.entries({
  'lists of one number': '[1],',
  'lists of one object': '[{}],',
  'lists in lists': `${'['.repeat(60)}${']'.repeat(60)},`,
  'lists in objects': '{"":[1]},',
  'objects in objects': '{"a":{}},',
}).map(([name, unit]) => ({
  name,
  make: (size) => `[${unit.repeat(Math.floor(size / unit.length))}0]`,
}))
const HALF = 4 * 1024 * 1024
/** Here many small lists do not use up the budget by their number. */
const SIXTH = 1_500_000

/** A parser that has read a sitemap, and not been told that it ended. */
const sitemap: Holder = {
  name: 'a sitemap',
  families: XMLS,
  holds: 2,
  prepare: (text) => () => {
    const parser = new SitemapParser('https://a.example/')
    for (let position = 0; position < text.length; position += 65_536) {
      parser.write(text.slice(position, position + 65_536))
      parser.take()
    }
    return parser
  },
}

/** In the short form, one in so many families: other ones for another length of a subject's name. */
const SHARE = IS_SHORT ? 40 : 1

function shareOf({ name, families }: Subject): readonly Family[] {
  const share = Math.min(SHARE, families.length)
  return families.filter((_, index) => index % share === name.length % share)
}

/** Parsers that a page pays before they begin: its JSON is measured as a page reads it. */
const PAID_BEFORE: ReadonlySet<string> = new Set(['JSON', 'JSON in parts'])

/** Measures the result of a subject, made with the budget that a page has. */
const madeBy = (subject: Subject): Holder => ({
  ...subject,
  name: `${subject.name}, and what is made of it`,
  families: shareOf(subject),
  prepare: (text) => subject.prepare(text, () => new PageBudget()),
  holds: HOLDS,
})

export const HOLDERS: readonly Holder[] = [
  of('the tree of HTML', PAGES, (text, budget) => parseTree(text, false, budget)),
  of('the tree of XML', [...XMLS, ...PAGES], (text, budget) => parseTree(text, true, budget)),
  sitemap,
  of('JSON', TEXTS, parsePageJson),
  // A larger document of many small lists uses up the budget.
  { ...of('half as much JSON', [...TEXTS, ...SMALL_LISTS], parsePageJson), size: HALF },
  { ...of('a sixth as much JSON', SMALL_LISTS, parsePageJson), size: SIXTH },
  of('JSON Lines', TEXTS, readJsonLines),
  of('CSV', TEXTS, (text, budget) => readCsv(text, budget)),
  // The result of a page holds less memory than its tree, so the tree is not measured each time.
  ...(IS_SHORT ? [] : [...PAGE_SUBJECTS, ...XML_SUBJECTS].map(madeBy)),
  ...[...TEXT_SUBJECTS, ...KIND_SUBJECTS].filter(({ name }) => !PAID_BEFORE.has(name)).map(madeBy),
]
