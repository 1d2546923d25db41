import type { Page } from '../../src/ports/page-processor.ts'
import { atOnce, type Parts } from '../../src/engine/extract/page/in-turns.ts'
import { joinStream } from '../../adapters/openai/join-stream.ts'
import { readCompletion } from '../../adapters/openai/read-completion.ts'
import { jsonFeedUrls, SitemapParser } from '../../src/engine/site/sitemap-parser.ts'
import { parseRetryAfter } from '../../src/engine/egress/retry-after.ts'
import { parseRobots } from '../../src/engine/site/robots-rules.ts'
import { looksLikeFormula } from '../../src/engine/export/cells.ts'
import { STORAGE } from '../../src/engine/export/parquet/write-parquet.ts'
import { readDate } from '../../src/engine/export/read-date.ts'
import { cell } from '../../src/engine/export/xlsx/write-workbook.ts'
import { xmlAttribute } from '../../src/engine/export/xml-text.ts'
import { refusedParts } from '../../src/engine/extract/auto/refused-items.ts'
import { detect, detectContent } from '../../src/engine/extract/auto.ts'
import { nextLink } from '../../src/engine/extract/auto/next-link.ts'
import { readCsv } from '../../src/engine/extract/document/read-csv.ts'
import { readJsonLines } from '../../src/engine/extract/document/read-records.ts'
import { preparePage } from '../../src/engine/extract/document/prepare-page.ts'
import { feedMarkdown } from '../../src/engine/extract/format/feed.ts'
import { formatPage } from '../../src/engine/extract/format/format-page.ts'
import { pageTextParts } from '../../src/engine/extract/format/page-text.ts'
import { bestCandidate } from '../../src/engine/extract/media.ts'
import { decodeBody } from '../../src/engine/extract/page/charset.ts'
import { contentKind } from '../../src/engine/extract/page/content-type.ts'
import { mendJson } from '../../src/engine/extract/page/lenient-json.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { parseJson } from '../../src/engine/extract/page/parse-json.ts'
import { flatStateParts } from '../../src/engine/extract/page/flat-state.ts'
import { flightParts } from '../../src/engine/extract/page/flight-state.ts'
import { readScriptLiteral } from '../../src/engine/extract/page/script-literal.ts'
import { hasWord } from '../../src/engine/extract/select/attribute-matcher.ts'
import { parseSelector, type Selector } from '../../src/engine/extract/select/parse-selector.ts'
import { parseTree } from '../../src/engine/extract/tree/parse-tree.ts'
import { convertText } from '../../src/engine/extract/value/convert.ts'
import { compileJsonPath, matchesIn } from '../../src/engine/extract/value/json-path.ts'
import { readDate as readDateOfPage } from '../../src/engine/extract/value/parse-date.ts'
import { evaluateXPath } from '../../src/engine/extract/xpath/evaluate-xpath.ts'
import { parseXPath } from '../../src/engine/extract/xpath/checked-xpath.ts'
import { readDataUrl } from '../../src/engine/media/data-url.ts'
import { mediaName } from '../../src/engine/media/media-types.ts'
import { imageSize, sniffType } from '../../src/engine/media/sniff.ts'
import { questionText } from '../../src/engine/model/question.ts'
import { readAnswer } from '../../src/engine/model/read-answer.ts'
import { pdfDate } from '../../src/engine/pdf/read-pdf.ts'
import { textOfPage } from '../../src/engine/pdf/text-of-page.ts'
import { candidateParts } from '../../src/engine/point/candidates.ts'
import { viewParts } from '../../src/engine/point/view.ts'
import { targetOf } from '../../src/engine/plan/auto-extract.ts'
import { proposalParts } from '../../src/engine/plan/proposals.ts'
import { relocateParts } from '../../src/engine/plan/relocate.ts'
import { compileGlob } from '../../src/engine/plan/compile-scope.ts'
import { VALUE_TYPES } from '../../src/engine/recipe/field-schema.ts'
import { FORMATS } from '../../src/engine/recipe/schema.ts'
import { passage, countWords, wordsOf } from '../../src/features/agentic/search/rank.ts'
import { fileName } from '../../src/features/common/downloads.ts'
import { rangeOf } from '../../src/features/media/serve-media.ts'
import { accepts } from '../../src/kernel/http/headers.ts'
import { parseIp } from '../../src/kernel/ip-address.ts'
import { normaliseUrl, urlIdentity } from '../../src/kernel/url.ts'
import { readMessage } from '../../src/mcp/read-message.ts'
import { PAGES, TEXTS, XMLS } from './families.ts'
import type { Family } from './families.ts'
import * as recipes from './recipes.ts'
import type { Subject } from './measure.ts'
import { HOST_SUBJECTS } from './host-subjects.ts'
import { PART_SUBJECTS } from './part-subjects.ts'
import { TABLE_SUBJECTS } from './table-subjects.ts'

/** The budget without an end, so that the growth of the code itself is measured. */
const free = (): PageBudget => new PageBudget({ steps: Infinity, bytes: Infinity })
const contentOf = (page: Page, budget = free): PageContent => new PageContent(page, START, budget())

const encoder = new TextEncoder()

function pageOf(text: string, contentType = 'text/html; charset=utf-8') {
  return { url: 'https://a.example/list', contentType, body: encoder.encode(text) }
}

/** Characters of each of the three values of an answer. */
export const MOST_ANSWER = 700_000
/** How often a tree is searched. */
const LOOKS = 4

const PLAIN_PAGE = pageOf('')
const plainPage = (budget: () => PageBudget): PageContent => contentOf(PLAIN_PAGE, budget)

/** A reader of a text without preparation. */
const ofText = (
  name: string,
  read: (text: string, budget: () => PageBudget) => unknown,
): Subject => ({
  name,
  families: TEXTS,
  prepare:
    (text, budget = free) =>
    () =>
      read(text, budget),
})

/** A reader that throws for a text that it cannot read. */
const ofLanguage = (name: string, read: (text: string) => unknown): Subject =>
  ofText(name, (text) => {
    try {
      return read(text)
    } catch {
      return null
    }
  })

const selector = parseSelector(
  'div > p, .price, [class~=abc], a:not(.x), :nth-of-type(3), :nth-last-of-type(9), ' +
    ':nth-last-child(2), b:has(i:nth-of-type(3)), p:nth-last-child(1) ~ i',
)
const laterAndTexts = parseSelector(
  ':has(~ * ~ x-none), :has(* * + x-none), :has(> x-none ~ *), :nth-last-child(1000000n of :not(x-none)), ' +
    ':contains(x-none), :icontains(a), :not(:contains(b)), :is(:icontains(x-none) > :scope), :root',
)
const everything = compileJsonPath('$..*')
const filters = [
  '$..[?@ == $]',
  '$..[?@.a < "b" || length(@) >= 2 || count(@.*) == 1]',
  '$..[?match(@, "a.*") || value(@..a) != null]',
].map(compileJsonPath)
const paths = parseXPath(
  '//div/p[contains(., "ab")] | //a/@href | //td[2] | //p[not(@class)][last()]/text() | ' +
    '//*[following-sibling::x-none] | //p[count(preceding-sibling::*) = 3] | ' +
    '//*/following-sibling::i | //*/preceding-sibling::text()',
)

const ofSelector = (name: string, { html }: Selector): Subject => ({
  name,
  families: PAGES,
  prepare: (text) => {
    const { elements } = parseTree(text, false, free())
    return () => {
      // Several times, as one search takes less time than making the tree.
      for (let time = 0; time < LOOKS; time++) {
        const { matching } = contentOf(pageOf(''))
        elements.filter((element) => html.some(({ matches }) => matches(element, matching)))
      }
    }
  },
})

const ofPage = <T>(name: string, read: (content: PageContent) => Parts<T>): Subject => ({
  name,
  families: PAGES,
  prepare: (text, budget = free) => {
    const page = pageOf(text)
    return () => atOnce(read(contentOf(page, budget)))
  },
})

export const PAGE_SUBJECTS: readonly Subject[] = [
  {
    name: 'the tree of HTML',
    families: PAGES,
    prepare:
      (text, budget = free) =>
      () =>
        parseTree(text, false, budget()),
  },
  ...FORMATS.map((format): Subject => ({
    name: `the format ${format}`,
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => formatPage(contentOf(page, budget), format)
    },
  })),
  {
    name: 'items of microdata, RDFa and microformats',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(`<html typeof="x" class="h-entry">${text}`)
      return () => {
        const content = contentOf(page, budget)
        return [content.markedItems, content.microformats]
      }
    },
  },
  {
    name: 'detection',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => detect(page, budget())
    },
  },
  ofPage('the text for a reader', (content) => pageTextParts(content)),
  {
    name: 'the next link',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => nextLink(contentOf(page, budget))
    },
  },
  {
    name: 'XPath',
    families: PAGES,
    prepare: (text, budget = free) => {
      const tree = parseTree(text, false, free())
      return () =>
        Array.from({ length: LOOKS }, () =>
          evaluateXPath(paths, { ...contentOf(pageOf(''), budget), tree }, null),
        )
    },
  },
  {
    name: 'fields of a recipe',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => recipes.fields.process(page, START, budget())
    },
  },
  {
    name: 'the product, the state and marked items',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => recipes.marked.process(page, START, budget())
    },
  },
  {
    name: 'cells of tables and the next page',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => recipes.cells.process(page, START, budget())
    },
  },
  ...Object.entries({
    'questions to a model about items': recipes.asking,
    'a question to a model about a page': recipes.askingOfPage,
    'files, and parts read as something else': recipes.reading,
    'functions of XPath': recipes.paths,
    'nodes that XPaths list': recipes.listed,
  }).map(([name, plan]): Subject => ({
    name,
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => plan.process(page, START, budget())
    },
  })),
  {
    name: 'proposals',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      const { recipe } = recipes.detecting
      return () => {
        const content = contentOf(page, budget)
        return atOnce(
          proposalParts(recipe, content, START, targetOf(recipe), detectContent(content)),
        )
      }
    },
  },
  ofPage('what repeats and is no list', (content) => refusedParts(content)),
  {
    name: 'links that take values along',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => recipes.linked.process(page, START, budget())
    },
  },
  {
    name: 'what each source found',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => atOnce(recipes.explain(contentOf(page, budget), START))
    },
  },
  ofPage('a page to look at', (content) => viewParts(content)),
  ofPage('relocation', (content) => relocateParts(recipes.lost.recipe, content, recipes.SOUGHT)),
  ofSelector('selectors', selector),
  ofSelector('selectors of later elements and of texts', laterAndTexts),
]

/** Those that take half of the time of all: a file of their own measures them, at the same time. */
export const isLongSubject = ({ name }: Subject): boolean =>
  name === 'selectors' || name.startsWith('the format ')

const PLAIN_FORMATS = ['metadata', 'markdown', 'text', 'links', 'structured'] as const
// The readers of records are loaded with the first such page.
await preparePage(pageOf('a,b', 'text/csv'))

/** Detection on a page that is not HTML. */
const ofKind = (
  contentType: string,
  families: readonly Family[],
  formats: readonly (typeof FORMATS)[number][] = PLAIN_FORMATS,
): Subject => ({
  name: `detection, fields and formats of ${contentType}`,
  families,
  prepare: (text, budget = free) => {
    const page = pageOf(text, contentType)
    return () => [
      detect(page, budget()),
      recipes.reading.process(page, START, budget()),
      formats.map((format) => formatPage(contentOf(page, budget), format)),
    ]
  },
})

/** Readers whose only bound is the allowance of a page: their growth is not measured. */
export const BOUNDED_SUBJECTS: readonly Subject[] = [
  {
    name: 'what is pointed at',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      const last = parseTree(text, false, free()).elements.length - 1
      return () => {
        const content = contentOf(page, budget)
        return [
          atOnce(candidateParts(content, { elements: [last >> 1] })),
          atOnce(candidateParts(content, { elements: [last], items: 'div, li, tr, p' })),
        ]
      }
    },
  },
  {
    name: 'products of XPath',
    families: PAGES,
    prepare: (text, budget = free) => {
      const page = pageOf(text)
      return () => recipes.products.process(page, START, budget())
    },
  },
]

export const XML_SUBJECTS: readonly Subject[] = [
  {
    name: 'the tree of XML',
    families: [...XMLS, ...PAGES],
    prepare:
      (text, budget = free) =>
      () =>
        parseTree(text, true, budget()),
  },
  {
    name: 'a feed',
    families: [...XMLS, ...TEXTS],
    prepare: (text, budget = free) => {
      const page = pageOf(text, 'application/rss+xml')
      return () => feedMarkdown(contentOf(page, budget))
    },
  },
  ofKind('application/rss+xml', [...XMLS, ...TEXTS]),
  {
    name: 'a sitemap',
    families: [...XMLS, ...TEXTS],
    prepare: (text) => () => {
      const parser = new SitemapParser('https://a.example/')
      const all: string[] = []
      for (let position = 0; position < text.length; position += 65_536) {
        parser.write(text.slice(position, position + 65_536))
        all.push(...parser.take())
      }
      for (const urls of parser.end()) all.push(...urls)
      return all
    },
  },
]

export const TEXT_SUBJECTS: readonly Subject[] = [
  ...['application/json', 'text/csv', 'application/x-ndjson', 'text/plain'].map((type) =>
    ofKind(type, TEXTS),
  ),
  // `html` and `markdown` of a plain text are the text itself.
  ...VALUE_TYPES.filter((as) => as !== 'html' && as !== 'markdown').map((as) =>
    ofText(`a value as ${as}`, (text, budget) => convertText(text, as, plainPage(budget))),
  ),
  ...['de', 'ja', 'zz'].map((language) =>
    ofText(`a date of now in ${language}`, (text) =>
      readDateOfPage(text, { language, now: 1_700_000_000_000 }),
    ),
  ),
  ofText('srcset', (text, budget) => bestCandidate(text, budget())),
  ofText('JSON', (text) => parseJson(text)),
  ofText('JSON that is mended', (text) => mendJson(text)),
  ofText('data of scripts', (text, budget) => [
    readScriptLiteral(text, 0, budget()),
    readScriptLiteral(`[{a:"${text}",b:[${text}`, 0, budget()),
    readScriptLiteral(`(function(a){a.b=[${text}];return {a}}({}))`, 0, budget()),
    readScriptLiteral(
      `(function(a,b){a.b=b;a.b[0]=new Date(0);return ["${text}"]}({},[]))`,
      0,
      budget(),
    ),
  ]),
  ofText('a stream of rows', (text, budget) => [
    atOnce(flightParts(text, 100, budget(), false)),
    atOnce(flightParts(`1:T${text.length.toString(16)},${text}`, 100, budget(), false)),
    atOnce(
      flightParts(
        `0:["$","p",null,{"children":["$1",${JSON.stringify(text)},{"a":"$$"}]}]\n`.repeat(2),
        100,
        budget(),
        false,
      ),
    ),
  ]),
  ofText('flat state', (text, budget) =>
    atOnce(flatStateParts([[...text].map((_, place) => place), text], budget())),
  ),
  ofText('JSON for a reader', (text, budget) =>
    atOnce(pageTextParts(contentOf(pageOf(text, 'application/json'), budget))),
  ),
  ofText('JSONPath over a document', (text, budget) =>
    matchesIn([parseJson(text) ?? null], everything, budget()),
  ),
  ofText('filters of JSONPath', (text, budget) =>
    filters.map((path) => matchesIn([parseJson(text) ?? text], path, budget())),
  ),
  ofText('CSV', (text, budget) => readCsv(text, budget())),
  ofText('JSON Lines', (text, budget) => readJsonLines(text, budget())),
  ofText('a JSON Feed', (text) => jsonFeedUrls(text)),
  {
    name: 'a charset',
    families: [...TEXTS, ...PAGES],
    prepare: (text) => {
      const body = encoder.encode(text)
      return () => decodeBody(body, 'text/html', 'html')
    },
  },
  ofText('a content type', (text) => [
    contentKind(text, new Uint8Array(0)),
    contentKind('', encoder.encode(text.slice(0, 2_000)), text),
  ]),
  ofText('robots.txt', (text) => parseRobots(text, 'seine', 'https://a.example/').allows('/a')),
  ofText('robots.txt of rules', (text) =>
    parseRobots(`user-agent: *\ndisallow: /${text}`, 'seine', 'https://a.example/').allows('/a'),
  ),
  ofText('Retry-After', (text) => parseRetryAfter(text, 0)),
  ofText('Range', (text) => rangeOf(`bytes=${text}`, 100)),
  ofText('Accept', (text) => accepts(text, 'application/json')),
  ofText('an address', (text) => parseIp(`a:${text}`)),
  ofText('a URL', (text) => [
    normaliseUrl(text, 'https://a.example/'),
    urlIdentity(`https://a.example/${text}`),
  ]),
  ofText('a data URL', (text) => [
    readDataUrl(`data:${text},a`),
    readDataUrl(`data:;base64,${text}`),
  ]),
  ofText('a name of media', (text) =>
    mediaName(`https://a.example/${text.toWellFormed()}`, 'image/png'),
  ),
  ofText('a name of a file', (text) => fileName(text, 'a', 'csv')),
  ofText('a date of a PDF', (text) => pdfDate(text)),
  ofText('a formula', (text) => looksLikeFormula(`+${text}`)),
  ofText('a date of an export', (text) => readDate(text)),
  ofText('a cell of a workbook', (text) => cell('A1', text, 'text')),
  ofText('a text of XML', (text) => xmlAttribute(text)),
  ofText('JSON in Parquet', (text) => STORAGE.json.of({ text: `${text}\ud83d` })),
  ofText('words', (text) => countWords(wordsOf(text))),
  ofText('a passage', (text) => passage(text, ['word', 'value'])),
  ofText('the question of a model', (text) =>
    questionText(
      {
        url: 'https://a.example/',
        title: null,
        baseUrl: 'https://a.example/',
        parts: [{ row: 0, text }],
        columns: [],
        cut: false,
        found: false,
      },
      'page',
    ),
  ),
  ofText('an answer of a model', (text) => {
    try {
      return readCompletion(JSON.stringify({ choices: [{ message: { content: `x ${text}` } }] }))
    } catch {
      return null
    }
  }),
  ofText('rows of an answer of a model', (answerText) => {
    // An answer has at most 2 MiB, all of its values together.
    const text = answerText.slice(0, MOST_ANSWER)
    const parts = [{ row: 0, text: 'a' }]
    const question = {
      url: '',
      title: null,
      baseUrl: 'https://a.example/',
      parts,
      columns: [],
      cut: false,
      found: false,
    }
    return readAnswer('page', recipes.ASKED, question, [{}], { name: text, price: text, day: text })
  }),
  ofText('the type of media', (text) => {
    const bytes = encoder.encode(text)
    return [sniffType(bytes, 'text/html'), imageSize(bytes, 'image/jpeg')]
  }),
  ofLanguage('a stream of a model', (text) => joinStream(`data: ${text}`)),
  ofText('a message of MCP', (text) => readMessage(text, null)),
  ofText('the lines of a PDF', (text) =>
    textOfPage(
      Array.from({ length: Math.ceil(text.length / 16) }, (_, index) => ({
        text: text.slice(index * 16, index * 16 + 16),
        height: 10,
        y: -index,
        ends: true,
      })),
    ),
  ),
  ...TABLE_SUBJECTS,
  ...PART_SUBJECTS,
  ...HOST_SUBJECTS,
  ofText('a word in a list', (text) => hasWord(text, `ab${text.slice(-text.length / 20)}`)),
  ofLanguage('a selector', (text) => parseSelector(text)),
  ofLanguage('the language of JSONPath', (text) => compileJsonPath(`$${text}`)),
  ofLanguage('the language of XPath', (text) => parseXPath(`//${text}`)),
  ofLanguage('a glob', (text) => compileGlob(`**/${text}`)('https://a.example/b')),
]
