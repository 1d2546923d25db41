import { atOnce } from '../../src/engine/extract/page/in-turns.ts'
import { detect, detectContent } from '../../src/engine/extract/auto.ts'
import { preparePage } from '../../src/engine/extract/document/prepare-page.ts'
import { formatPage } from '../../src/engine/extract/format/format-page.ts'
import { charsetLabel } from '../../src/engine/extract/page/charset-label.ts'
import { decodeBody } from '../../src/engine/extract/page/charset.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { factsOfFailed } from '../../src/engine/extract/page-facts.ts'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { convertText } from '../../src/engine/extract/value/convert.ts'
import { compileJsonPath, matchesIn } from '../../src/engine/extract/value/json-path.ts'
import { readDate } from '../../src/engine/extract/value/parse-date.ts'
import { parseJson } from '../../src/engine/extract/page/parse-json.ts'
import { withoutData } from '../../src/engine/media/data-url.ts'
import { linkMedia, mediaId, mediaTargets } from '../../src/engine/media/link-media.ts'
import { imageSize } from '../../src/engine/media/sniff.ts'
import { createModelReader } from '../../src/engine/model/model-reader.ts'
import { readAnswer } from '../../src/engine/model/read-answer.ts'
import { rulesOf } from '../../src/engine/pdf/page-rules.ts'
import { wordOf } from '../../src/engine/pdf/page-words.ts'
import { readPdf } from '../../src/engine/pdf/read-pdf.ts'
import { looksTabular, tablesOfPage } from '../../src/engine/pdf/tables-of-page.ts'
import { detectRecipe, proposeParts } from '../../src/engine/plan/auto-extract.ts'
import { compileScope } from '../../src/engine/plan/compile-scope.ts'
import { relocateParts } from '../../src/engine/plan/relocate.ts'
import { parseRobots } from '../../src/engine/site/robots-rules.ts'
import { normaliseUrl } from '../../src/kernel/url.ts'
import { viewParts } from '../../src/engine/point/view.ts'
import type { Page } from '../../src/ports/page-processor.ts'
import { makePdf } from '../support/fakes/make-pdf.ts'
import type { Family } from './families.ts'
import { PAGES, TEXTS, XMLS } from './families.ts'
import * as recipes from './kind-recipes.ts'
import { ARTICLES, ELEMENTS, FEEDS, GOODS, JSONS, LISTS, VALUES } from './kinds.ts'
import type { Subject } from './measure.ts'
import { ASKED, marked, reading } from './recipes.ts'

// The readers of pages like those of sites (`kinds.ts`), and readers that only such pages reach.

const free = (): PageBudget => new PageBudget({ steps: Infinity, bytes: Infinity })
const contentOf = (page: Page, budget = free): PageContent => new PageContent(page, START, budget())
const encoder = new TextEncoder()

const pageOf = (text: string, contentType = 'text/html; charset=utf-8') => ({
  url: 'https://a.example/list',
  contentType,
  body: encoder.encode(text),
})

/** A reader of pages of one type. */
const ofPage = (
  name: string,
  families: readonly Family[],
  read: (page: Page, budget: () => PageBudget) => unknown,
  contentType?: string,
): Subject => ({
  name,
  families,
  prepare: (text, budget = free) => {
    const page = pageOf(text, contentType)
    return () => read(page, budget)
  },
})

const ofText = (
  name: string,
  families: readonly Family[],
  read: (text: string, budget: () => PageBudget) => unknown,
): Subject => ({
  name,
  families,
  prepare:
    (text, budget = free) =>
    () =>
      read(text, budget),
})

await preparePage(pageOf('a,b', 'text/csv'))

/** A document of one page, like from a reader of files. */
const documentOf = (text: string): Page => ({
  ...pageOf('', 'application/pdf'),
  document: {
    title: 'a',
    author: null,
    date: null,
    language: null,
    pages: 1,
    pagesRead: 1,
    text,
    texts: [text],
    tables: [
      {
        name: null,
        page: 1,
        rows: text.split('\n').map((line) => line.split(/[ ,;<]/).slice(0, 1_000)),
      },
    ],
  },
})

/** An item of the text of a PDF: two lines of four columns, then one that goes on below the first. */
function itemOf(text: string, index: number): object {
  const place = index % 9
  const column = place % 4
  return {
    str: text,
    transform: [
      10,
      0,
      0,
      10,
      100 * column,
      14 * (3 * Math.floor(index / 9) + Math.floor(place / 4)),
    ],
    width: column === 1 ? 94 : 80,
  }
}
const UPRIGHT = [1, 0, 0, 1, 0, 0] as const
const PIECE = 32

const CODES = {
  save: 1,
  restore: 2,
  transform: 3,
  constructPath: 4,
  paintFormXObjectBegin: 5,
  paintFormXObjectEnd: 6,
  stroke: 7,
  closeStroke: 8,
  fill: 9,
  eoFill: 10,
  fillStroke: 11,
  eoFillStroke: 12,
  closeFillStroke: 13,
  closeEOFillStroke: 14,
}
/** Operators and their arguments, in turns. */
const DRAWN: readonly (readonly [number, unknown])[] = [
  [CODES.save, null],
  [CODES.transform, [1, 0, 0, 1, 2, 3]],
  [CODES.constructPath, [CODES.stroke, [[0, 0, 0, 1, 0.5, 3, 4]], null]],
  [CODES.paintFormXObjectBegin, [[1, 0, 0, 1, 0, 0]]],
  [CODES.constructPath, [CODES.fill, [[]], [0, 0, 2, 2]]],
  [CODES.paintFormXObjectEnd, null],
  [CODES.restore, null],
]

/** A row for each piece of a text: most rows have media, some of them in lists. */
const rowsOf = (text: string) =>
  Array.from({ length: Math.ceil(text.length / 256) }, (_, index) => {
    const sourceUrl = `https://a.example/${text.slice(index * 256, index * 256 + 256)}`
    const id = mediaId(index.toString(16).padStart(64, '0'))
    const value = { id, sourceUrl, contentType: 'image/png' }
    return { photo: value, all: [value, 'a', { inner: { photo: value } }, { inner: null }] }
  })
const MEDIA_PATHS = [['photo'], ['all', 'inner', 'photo']]

const QUESTION = {
  url: '',
  title: null,
  baseUrl: 'https://a.example/',
  columns: [],
  cut: false,
  found: false,
}
const FAILED = {
  url: 'https://a.example/',
  finalUrl: null,
  status: null,
  outcome: 'failed',
  contentType: null,
  bytes: 0,
}
/** Characters of one answer of a model. */
export const MOST_ROWS_ANSWER = 2_000_000
const comparing = compileJsonPath('$[?@.name < @.other || @["\\u006eame"] >= "ab"]')

export const KIND_SUBJECTS: readonly Subject[] = [
  ofPage('detection of what sites write', [...GOODS, ...LISTS, ...ARTICLES], (page, budget) =>
    detect(page, budget()),
  ),
  ofPage('formats of articles', [...ARTICLES, ...LISTS], (page, budget) =>
    (['metadata', 'article', 'markdown', 'comments'] as const).map((format) =>
      formatPage(contentOf(page, budget), format),
    ),
  ),
  ofPage('products and their data', GOODS, (page, budget) => marked.process(page, START, budget())),
  ofPage('a product whose address has its code', GOODS, (page, budget) =>
    marked.process({ ...page, url: 'https://a.example/AB-12345.html' }, START, budget()),
  ),
  ofPage('marks of RDFa', ELEMENTS, (page, budget) => contentOf(page, budget).markedItems),
  ofText('a page that was not fetched', TEXTS, (error) =>
    factsOfFailed({ ...FAILED, error }, START),
  ),
  ofText('addresses in the scope', TEXTS, (text) => {
    const urls = Array.from({ length: Math.ceil(text.length / 64) }, (_, index) =>
      normaliseUrl(`https://a.example/${index}/${text.slice(index * 64, index * 64 + 64)}`),
    ).filter((url) => url !== null)
    return (['page', 'path', 'host', 'domain'] as const).map((scope) => {
      const allows = compileScope(undefined, scope, urls)
      return urls.filter((url) => allows(url))
    })
  }),
  ofText('agents of robots.txt', TEXTS, (text) =>
    parseRobots(`user-agent: ${text}\n${'user-agent: a\n'.repeat(text.length / 16)}`, 'seine', ''),
  ),
  ofPage('numbers of a column', GOODS, (page, budget) =>
    recipes.numbersPlan.process(page, START, budget()),
  ),
  ofPage('marks, attributes, names and media', ELEMENTS, (page, budget) => [
    recipes.elementsPlan.process(page, START, budget()),
    atOnce(recipes.explainElements(contentOf(page, budget), START)),
    contentOf(page, budget).facts,
  ]),
  ofPage('files of elements', ELEMENTS, (page, budget) => reading.process(page, START, budget())),
  ofPage('rows that XPath finds, and their cells', [...ELEMENTS, ...LISTS], (page, budget) => [
    recipes.rowsPlan.process(page, START, budget()),
    recipes.itemsPlan.process(page, START, budget()),
    recipes.crawlPlan.process(page, START, budget()),
  ]),
  ofPage(
    'links of a document of JSON',
    [...JSONS, ...TEXTS],
    (page, budget) => recipes.jsonPlan.process(page, START, budget()),
    'application/json',
  ),
  ofPage(
    'detection of a document of JSON',
    JSONS,
    (page, budget) => detect(page, budget()),
    'application/json',
  ),
  ofPage(
    'contents of a feed',
    [...FEEDS, ...XMLS],
    (page, budget) => [
      recipes.entriesPlan.process(page, START, budget()),
      formatPage(contentOf(page, budget), 'markdown'),
    ],
    'application/atom+xml',
  ),
  ofPage('a recipe with parts to detect', [...GOODS, ...LISTS, ...PAGES], (page, budget) =>
    recipes.DETECTED.map((recipe) => detectRecipe(recipe, page, budget())),
  ),
  ofPage('a recipe that is detected as it runs', LISTS, (page, budget) => [
    recipes.detectingPlan.process(page, START, budget()),
    recipes.autoPlan.process(page, START, budget()),
    recipes.findingPlan.process(page, START, budget()),
  ]),
  ofPage('a proposal of what sites write', [...GOODS, ...LISTS], (page, budget) => {
    const content = contentOf(page, budget)
    return atOnce(proposeParts(recipes.plainRecipe, content, null, detectContent(content)))
  }),
  ofPage('relocation of values of a page', [...ELEMENTS, ...GOODS], (page, budget) =>
    atOnce(
      relocateParts(recipes.lostOnPage.recipe, contentOf(page, budget), {
        columns: ['name', 'price'],
        rows: [{ name: 'a', price: 3.1 }],
      }),
    ),
  ),
  ofPage('a page to look at, with its styles', ELEMENTS, (page, budget) =>
    atOnce(viewParts(contentOf(page, budget))),
  ),
  {
    name: 'a document of a reader',
    families: TEXTS,
    prepare: (text, budget = free) => {
      const page = documentOf(text)
      return () => [
        detect(page, budget()),
        (['metadata', 'article', 'text', 'structured', 'markdown'] as const).map((format) =>
          formatPage(contentOf(page, budget), format),
        ),
        recipes.documentPlan.process(page, START, budget()),
      ]
    },
  },
  ...(['de', 'en', 'ja', 'ar', 'hr'] as const).map((language) =>
    ofText(`a date that people write in ${language}`, VALUES, (text) => [
      readDate(text, { language, now: 1_700_000_000_000 }),
      readDate(text, { language, order: 'ymd' }),
    ]),
  ),
  ...['', '<html lang=de>', `<p>${'1.234,50 '.repeat(9)}`].map((around, index) =>
    ofText(`a number of a page of kind ${index + 1}`, VALUES, (text, budget) => {
      const page = contentOf(pageOf(around), budget)
      return [convertText(text, 'number', page, true), convertText(text, 'integer', page)]
    }),
  ),
  ofText('texts that JSONPath compares', [...JSONS, ...TEXTS], (text, budget) =>
    matchesIn([parseJson(text) ?? [{ name: text, other: `${text}a` }]], comparing, budget()),
  ),
  ofText('a label of a charset', TEXTS, (text) => [
    charsetLabel(`text/html; charset="${text}"`),
    charsetLabel(`text/html; a="\\${text}; charset=${text}`),
  ]),
  ofText('a body of another charset', [...TEXTS, ...PAGES], (text) =>
    decodeBody(encoder.encode(text), 'text/html; charset=iso-8859-2', 'html'),
  ),
  ofText('a data URL without its data', TEXTS, (text) => withoutData(`data:${text}`)),
  ofText('the size of a picture', TEXTS, (text) =>
    imageSize(encoder.encode(`RIFFaaaaWEBPVP8 ${text}`), 'image/webp'),
  ),
  {
    name: 'media of rows',
    families: TEXTS,
    prepare: (text) => {
      const rows = rowsOf(text)
      return () => {
        const targets = mediaTargets(rows, MEDIA_PATHS)
        return [targets, rows.map((row) => linkMedia(row, MEDIA_PATHS, new Map(), false))]
      }
    },
  },
  ofText('rows that a model found', TEXTS, (answerText) => {
    const text = answerText.slice(0, MOST_ROWS_ANSWER)
    const entries = Array.from({ length: Math.ceil(text.length / 64) }, (_, index) => ({
      part: index + 1,
      name: text.slice(index * 64, index * 64 + 64),
      price: '1.234',
      day: text.slice(index * 64, index * 64 + 16),
    }))
    const parts = entries.map((_, row) => ({ row, text: 'a' }))
    const rows = entries.map(() => ({}))
    return (['items', { model: 'each' }] as const).map((kind) =>
      readAnswer(kind, ASKED, { ...QUESTION, parts }, rows, { rows: entries }),
    )
  }),
  {
    name: 'what is asked and answered of a model',
    families: TEXTS,
    prepare: (text) => {
      const rows = Array.from({ length: Math.ceil(text.length / 64) }, (_, index) => ({
        name: text.slice(index * 64, index * 64 + 64),
      }))
      const ask = createModelReader({
        model: { ask: () => Promise.resolve({ json: { rows }, inputTokens: 1, outputTokens: 1 }) },
        clock: { now: () => 0, sleep: () => new Promise(() => {}) },
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        limits: { concurrency: 1, timeoutMs: 1_000 },
        memory: { recall: async () => null, remember: async () => {} },
      })
      const question = { ...QUESTION, columns: ['name'], parts: [{ row: 0, text }], found: true }
      const result = recipes.findingPlan.process(pageOf(''), START)
      const asker = { account: 'acme', execution: null }
      return () =>
        ask(asker, recipes.findingPlan, { ...result, question }, new AbortController().signal)
    },
  },
  {
    name: 'a file of PDF',
    families: TEXTS,
    prepare: (text) => {
      const lines = Array.from({ length: Math.ceil(text.length / 64) }, (_, index) =>
        text.slice(index * 64, index * 64 + 64).replace(/[^\w .,:-]/g, '_'),
      )
      const pages = Array.from({ length: Math.ceil(lines.length / 50) }, (_, index) =>
        lines.slice(index * 50, index * 50 + 50),
      )
      const file = makePdf(pages, { info: { Title: 'a' } })
      // Reading transfers the bytes.
      return () => readPdf(file.slice(), new AbortController().signal)
    },
  },
  {
    name: 'the words and lines of a PDF',
    families: TEXTS,
    prepare: (text) => {
      const items = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
        itemOf(text.slice(index * PIECE, (index + 1) * PIECE), index),
      )
      const drawn = items.flatMap((_, index) => DRAWN.slice(index % DRAWN.length).slice(0, 1))
      const operators = {
        fnArray: drawn.map(([code]) => code),
        argsArray: drawn.map(([, args]) => args),
      }
      return () => {
        const words = items.flatMap((item) => wordOf(item, UPRIGHT) ?? [])
        const rules = rulesOf(operators, CODES, UPRIGHT)
        return looksTabular(words) ? tablesOfPage(words, rules) : null
      }
    },
  },
]
