import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import { TextParts } from '../../../kernel/text/text-parts.ts'
import { normaliseUrl } from '../../../kernel/url.ts'
import type { Page, Visit } from '../../../ports/page-processor.ts'
import type { DocumentText } from '../../../ports/document-reader.ts'
import { startMatching } from '../select/matching.ts'
import type { Matching } from '../select/matching.ts'
import { languageOf, pageTreeParts } from '../tree/page-tree.ts'
import { parseTree, treeParts } from '../tree/parse-tree.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { textOf, textParts } from '../tree/text-content.ts'
import { FarLists } from '../xpath/xpath-far.ts'
import { NodeLists } from '../xpath/xpath-siblings.ts'
import { decodeBody } from './charset.ts'
import { contentKind, isDocument } from './content-type.ts'
import type { ContentKind } from './content-type.ts'
import type { TableRecords } from '../document/document-tables.ts'
import { loadedReaders } from '../document/prepare-page.ts'
import { microdataParts } from './microdata.ts'
import type { MicrodataItem } from './microdata.ts'
import { microformatParts, plainParts } from './microformats.ts'
import type { MicroformatItem } from './microformats.ts'
import { atOnce, QuickPass, StepParts, type Parts } from './in-turns.ts'
import { PageBudget } from './page-budget.ts'
import { NumberSigns } from '../value/number-signs.ts'
import { pageStateParts } from './page-state.ts'
import { rdfaItemParts } from './rdfa-items.ts'
import { rdfaParts } from './rdfa.ts'
import { jsonLdParts, readJson } from './parse-json.ts'
import { factsOf, type FactValues } from '../page-facts.ts'
import type { NormalUrl } from '../../../kernel/url.ts'

/** A page's main content. */
export interface MainContent {
  readonly root: Element
  /** Number of characters of all elements that may be content. */
  readonly size: number
  /** The title above the content. It is left out of a text, because it is a fact of the page. */
  readonly heading: Element | null
  /** False for elements below the root that do not belong to the content. */
  readonly keeps: (element: Element) => boolean
}

/** The text of an element, its Markdown, or its HTML. */
interface PreparedContent {
  readonly element: Element
  readonly as: 'html' | 'markdown' | 'text'
  readonly text: string
}

const FEEDS = new Set(['rss', 'feed', 'rdf:rdf', 'atom:feed'])
/** Classes that a page with microformats has. */
const MICROFORMATS = new RegExp(
  String.raw`["'=\s](?:h-(?:adr|app|card|cite|entry|event|feed|geo|item|listing|news|product|` +
    're(?:cipe|sume|view))|vcard|hentry|hfeed|vevent|hproduct|hrecipe|hresume|hreview|hnews)',
)
/** Steps to parse a URL: about a microsecond. */
const URL_STEPS = 40
/** The visit of a page that no link led to. */
export const START: Visit = { label: 'start', depth: 0, hop: 1 }
/** Steps of a meta element that nobody pays for. */
const META_STEPS = 20
const NO_TEXT = new TextParts([])
const EMPTY: Tree = parseTree('', true, new PageBudget())

/** A page with its derived data. Each part is made once, on first use. */
export class PageContent {
  readonly url: string
  readonly kind: ContentKind
  /** Pays for all work on this page and all output from it. */
  readonly budget: PageBudget
  readonly matching: Matching
  /** Nodes that XPaths have listed. */
  readonly lists = new NodeLists()
  /** Elements that XPaths have listed to find those after a node, or before it. */
  readonly far = new FarLists()
  /** Code of the source that gave the last field with several sources its value; see `SourceTrace`. */
  match = 0
  /** True if the last source with a default matched nothing, so that the default is its value. */
  isDefault = false
  /**
   * The main content, after it was looked for. It is a field, because a weak map would keep it and
   * the page's tree through all collections of young objects.
   */
  mainContent: MainContent | null | undefined
  #prepared: PreparedContent | null = null
  #isInTurns = false
  readonly #page: Page
  readonly #visit: Visit
  #facts: FactValues | undefined
  #numbers: NumberSigns | undefined
  #source: TextParts | undefined
  #readable: string | undefined
  #tree: Tree | undefined
  #baseUrl: string | undefined
  #data: readonly Json[] | undefined
  #meta: Map<string, string> | undefined
  #microdata: readonly MicrodataItem[] | undefined
  #state: readonly Json[] | undefined
  #tables: readonly TableRecords[] | undefined
  #rdfa: readonly MicrodataItem[] | undefined
  #microformats: readonly MicroformatItem[] | undefined
  #plainFormats: readonly MicrodataItem[] | undefined
  #markedItems: readonly MicrodataItem[] | undefined

  /** `facts`: the facts of a page that could not be fetched. */
  constructor(page: Page, visit: Visit = START, budget = new PageBudget(), facts?: FactValues) {
    this.budget = budget
    this.matching = startMatching(budget)
    this.#page = page
    this.#visit = visit
    this.#facts = facts
    this.url = page.url
    const { document } = page
    this.kind =
      document !== undefined && 'html' in document
        ? 'html'
        : contentKind(page.contentType, page.body, page.url)
    if (document !== undefined && 'texts' in document) this.#noteCuts(document)
  }

  /** True without threads. Long work is then done in parts, some of it by code that is slower. */
  get isInTurns(): boolean {
    return this.#isInTurns
  }

  /** From now on, long work on the page is done in parts. */
  beginTurns(): void {
    this.#isInTurns = true
  }

  /** Keeps the content of an element that was read in parts, for the value that is read next. */
  prepare(content: PreparedContent): void {
    this.#prepared = content
  }

  /** Returns the content of {@link prepare} once, if it is that of this element; else `null`. */
  takePrepared(element: Element, as: PreparedContent['as']): string | null {
    const prepared = this.#prepared
    this.#prepared = null
    return prepared?.element === element && prepared.as === as ? prepared.text : null
  }

  /** Returns a value that the rules on the way to the page carried along; `null` if there is none. */
  carried(name: string): Json {
    const { carried } = this.#visit
    return carried !== undefined && Object.hasOwn(carried, name) ? (carried[name] ?? null) : null
  }

  get facts(): FactValues {
    return (this.#facts ??= factsOf(this.#page, this.#visit))
  }

  /** When the page was visited, in Unix milliseconds. `null`: not known. */
  get visitedAt(): number | null {
    return this.#page.visitedAt ?? null
  }

  /** The text of a PDF or a workbook, if a reader has read it. */
  get document(): DocumentText | null {
    const { document } = this.#page
    return document !== undefined && 'texts' in document ? document : null
  }

  /** The decoded body, or a document's text. Empty for a kind that is not read. */
  get source(): TextParts {
    return (this.#source ??= this.#decode())
  }

  /** {@link source} as one text. */
  get text(): string {
    return this.source.toString()
  }

  /** The visible text on one line for HTML and XML. The decoded body for any other kind. */
  get readable(): string {
    return (this.#readable ??=
      this.kind === 'html' || this.kind === 'xml'
        ? this.tree.root === null
          ? ''
          : textOf(this.tree.root, this.budget)
        : this.text)
  }

  /** Makes {@link readable} in parts, before it is first used. */
  *readReadable(): Parts<void> {
    const { root } = this.tree
    if (root !== null) this.#readable ??= yield* textParts(root, this.budget)
  }

  /** The tree of HTML or XML. Empty for any other kind. */
  get tree(): Tree {
    return (this.#tree ??= atOnce(this.#treeParts()))
  }

  /** Makes the tree of HTML or XML in parts, before it is first used. */
  *readTree(): Parts<void> {
    this.#tree ??= yield* this.#treeParts()
  }

  *#treeParts(): Parts<Tree> {
    if (this.kind !== 'html' && this.kind !== 'xml') return EMPTY
    const { budget, source } = this
    const before = budget.where
    // The tree belongs to no column, whichever asks for it first.
    budget.where = 'page'
    try {
      return this.kind === 'html'
        ? yield* pageTreeParts(source, budget)
        : yield* treeParts(source, true, budget)
    } finally {
      budget.where = before
    }
  }

  /** How the page writes numbers. */
  get numbers(): NumberSigns {
    return (this.#numbers ??= new NumberSigns(() => this.readable))
  }

  /** The language that an HTML page or a document names for its text. `null`: none. */
  get language(): string | null {
    if (this.kind !== 'html') return this.document?.language ?? null
    return languageOf(this.tree.root) || this.meta('content-language') || null
  }

  /** True for RSS, RDF and Atom. */
  get isFeed(): boolean {
    return this.kind === 'xml' && FEEDS.has(this.tree.root?.name.toLowerCase() ?? '')
  }

  /** The base of relative links: the first `<base href>`, else the page's URL. */
  get baseUrl(): string {
    return (this.#baseUrl ??= this.#findBase())
  }

  /** True if the page itself is data for JSONPaths. */
  get isData(): boolean {
    return this.kind === 'json' || isDocument(this.kind) || this.isTable
  }

  /** True if the page is a list of records: CSV, JSON Lines. */
  get isTable(): boolean {
    return this.kind === 'csv' || this.kind === 'lines'
  }

  /** The page's JSON-LD blocks, or the document itself if the page is JSON or is read as JSON. */
  get data(): readonly Json[] {
    return (this.#data ??= atOnce(this.#dataParts()))
  }

  /** Makes {@link data} in parts, before it is first used. Only without threads, where it is slower. */
  *readData(): Parts<void> {
    if (this.isInTurns) this.#data ??= yield* this.#dataParts()
  }

  /** The JSON that scripts left in an HTML page for themselves; see `pageStateParts`. */
  get state(): readonly Json[] {
    return (this.#state ??= atOnce(this.#stateParts()))
  }

  /** Makes {@link state} in parts, like {@link readData}. */
  *readState(): Parts<void> {
    if (this.isInTurns) this.#state ??= yield* this.#stateParts()
  }

  *#stateParts(): Parts<readonly Json[]> {
    if (this.kind !== 'html') return []
    return yield* pageStateParts(this.tree, this.budget, this.isInTurns)
  }

  /** Microdata items, in document order. */
  get microdata(): readonly MicrodataItem[] {
    return (this.#microdata ??= atOnce(this.#microdataParts()))
  }

  /** Makes {@link microdata} in parts, before it is first used. */
  *readMicrodata(): Parts<void> {
    this.#microdata ??= yield* this.#microdataParts()
  }

  *#microdataParts(): Parts<readonly MicrodataItem[]> {
    if (this.kind !== 'html' || !this.source.has('itemscope')) return []
    const absolute = (href: string): string => this.identify(href)
    return yield* microdataParts(this.tree, this.budget, absolute, this.isInTurns)
  }

  /** Items of RDFa: the things that have a type, in document order. */
  get rdfa(): readonly MicrodataItem[] {
    return (this.#rdfa ??= atOnce(this.#rdfaParts()))
  }

  /** Makes {@link rdfa} in parts, before it is first used. */
  *readRdfa(): Parts<void> {
    this.#rdfa ??= yield* this.#rdfaParts()
  }

  *#rdfaParts(): Parts<readonly MicrodataItem[]> {
    if (this.kind !== 'html' || !this.source.has(/\s(?:typeof|vocab)\s{0,100}=/i)) return []
    const { tree, budget, baseUrl, isInTurns } = this
    const resolve = (href: string): string => this.nameOf(href)
    return yield* rdfaItemParts(yield* rdfaParts(tree, budget, baseUrl, resolve, isInTurns), budget)
  }

  /** Items of microformats in document order, nested ones included. */
  get microformats(): readonly MicroformatItem[] {
    return (this.#microformats ??= atOnce(this.#microformatParts()))
  }

  /** Makes {@link microformats} in parts, before it is first used. */
  *readMicroformats(): Parts<void> {
    this.#microformats ??= yield* this.#microformatParts()
  }

  *#microformatParts(): Parts<readonly MicroformatItem[]> {
    if (this.kind !== 'html' || !this.source.has(MICROFORMATS)) return []
    return yield* microformatParts(this.tree, this.budget, (href) => this.nameOf(href))
  }

  /** {@link microformats} in the form of microdata items. */
  get plainFormats(): readonly MicrodataItem[] {
    return (this.#plainFormats ??= atOnce(plainParts(this.microformats, this.budget)))
  }

  /** Makes {@link plainFormats} in parts, before they are first used. */
  *readPlainFormats(): Parts<void> {
    yield* this.readMicroformats()
    this.#plainFormats ??= yield* plainParts(this.microformats, this.budget)
  }

  /** Items of microdata and RDFa, in document order. */
  get markedItems(): readonly MicrodataItem[] {
    return (this.#markedItems ??=
      this.rdfa.length === 0
        ? this.microdata
        : [...this.microdata, ...this.rdfa].toSorted(
            (a, b) => (a.element.startIndex ?? 0) - (b.element.startIndex ?? 0),
          ))
  }

  /** Makes in parts what {@link markedItems} are made of. */
  *readMarkedItems(): Parts<void> {
    yield* this.readRdfa()
    yield* this.readMicrodata()
  }

  /** The content of the first meta element with this `name`, `property` or `itemprop`, in any case. */
  meta(name: string): string | null {
    this.#meta ??= atOnce(this.#metaParts())
    return this.#meta.get(name.toLowerCase()) ?? null
  }

  /** Makes in parts what {@link meta} needs, before it is first used. */
  *readMeta(): Parts<void> {
    this.#meta ??= yield* this.#metaParts()
  }

  /** Makes a link absolute. Returns `null` unless it is http(s). */
  resolve(href: string): NormalUrl | null {
    this.budget.work(URL_STEPS + (href.length >> 2))
    return normaliseUrl(href.trim(), this.baseUrl)
  }

  /**
   * Makes a URL absolute that is used as a name. Its scheme and its fragment stay. An invalid URL
   * stays unchanged.
   */
  identify(href: string): string {
    this.budget.work(URL_STEPS + (href.length >> 2))
    return URL.parse(href.trim(), this.baseUrl)?.href ?? href
  }

  /** Like {@link identify}, but an address with a scheme stays unchanged. */
  nameOf(href: string): string {
    const address = href.trim()
    return /^[a-z][a-z\d+.-]*:/i.test(address) ? address : this.identify(address)
  }

  #decode(): TextParts {
    const { body, contentType, document } = this.#page
    if (document !== undefined)
      return new TextParts(['html' in document ? document.html : document.text])
    switch (this.kind) {
      case 'other':
      case 'pdf':
      case 'docx':
      case 'xlsx':
        return NO_TEXT
      case 'lines':
        return decodeBody(body, contentType, 'json')
      case 'csv':
        return decodeBody(body, contentType, 'text')
      default:
        return decodeBody(body, contentType, this.kind)
    }
  }

  #findBase(): string {
    if (this.kind !== 'html') return this.url
    // To search a tree takes an eighth of the time of its text, but not to make one for this.
    if (this.#tree === undefined && !this.source.has(/<base[\s/]/i)) return this.url
    const href = this.tree.elements.find(
      (element) => element.name === 'base' && Object.hasOwn(element.attribs, 'href'),
    )?.attribs['href']
    return (href === undefined ? null : normaliseUrl(href.trim(), this.url)) ?? this.url
  }

  *#dataParts(): Parts<readonly Json[]> {
    const { budget, kind, isInTurns } = this
    if (this.document !== null) return [this.#readDocument(this.document)]
    if (this.isTable) return yield* this.#recordParts()
    if (kind === 'html') return yield* jsonLdParts(this.tree, budget, isInTurns)
    if (kind !== 'json') return []
    const document = yield* readJson(this.text, budget, isInTurns)
    return document === undefined ? [] : [document]
  }

  *#recordParts(): Parts<readonly Json[]> {
    const readers = loadedReaders()
    if (readers === null) return []
    const { budget, kind, text, isInTurns } = this
    return yield* readers.readRecords(kind, text, this.#page, budget, isInTurns)
  }

  #readDocument(document: DocumentText): Json {
    this.budget.work(document.text.length)
    return { ...documentFacts(document), tables: this.tables }
  }

  /** The tables of a PDF or a workbook as records. {@link preparePage} loads the code for them. */
  get tables(): readonly TableRecords[] {
    const tables = this.document?.tables ?? []
    return (this.#tables ??= loadedReaders()?.documentTables(tables, this.budget) ?? [])
  }

  /** All outputs of the text lack the parts that the reader left out. */
  #noteCuts({ pages, pagesRead, cutAt, cellsCutAt }: DocumentText): void {
    if (pagesRead < pages) this.budget.cut('pages of a document', pagesRead, 'page')
    if (cutAt !== undefined) this.budget.cut('characters of a document', cutAt, 'page')
    if (cellsCutAt !== undefined) this.budget.cut('cells of a document', cellsCutAt, 'page')
  }

  *#metaParts(): Parts<Map<string, string>> {
    const metaTags = new Map<string, string>()
    const pass = new QuickPass(this.budget, 2)
    const parts = new StepParts(this.budget)
    for (const { name, attribs } of this.tree.elements) {
      if (pass.ends()) yield
      if (name !== 'meta') continue
      const { content } = attribs
      if (content === undefined) continue
      this.budget.unpaid(META_STEPS)
      if (parts.ends()) yield
      for (const key of [attribs['name'], attribs['property'], attribs['itemprop']]) {
        const lower = key?.trim().toLowerCase()
        if (lower !== undefined && !metaTags.has(lower)) metaTags.set(lower, content.trim())
      }
    }
    return metaTags
  }
}

/** Returns what JSONPaths find in a document: `$.title`, `$.pageCount`, `$.pages[*].text`. */
function documentFacts({ title, author, date, language, pages, text, texts }: DocumentText) {
  return {
    title,
    author,
    date,
    language,
    pageCount: pages,
    text,
    pages: texts.map((line, index) => ({ number: index + 1, text: line })),
  }
}
