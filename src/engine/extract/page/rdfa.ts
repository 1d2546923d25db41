import type { Element } from 'domhandler'
import { innerHtml, innerParts } from '../tree/serialise.ts'
import { rawParts, rawText } from '../tree/text-content.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { filterParts, QuickPass, StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'
import { FIRST_NAMES, namesIn, resourceOf, termOf } from './rdfa-context.ts'
import type { Names } from './rdfa-context.ts'

export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const RDFA = 'http://www.w3.org/ns/rdfa#'
const XSD = 'http://www.w3.org/2001/XMLSchema#'
/** Maximum statements of a page. */
const MAX_TRIPLES = 50_000
const MAX_WORDS = 20
const ELEMENT_STEPS = 8
const STATEMENT_STEPS = 40
/** Steps of an element and of a statement that nobody pays for. */
const ELEMENT_REST = 24
const STATEMENT_REST = 60

/** A text with its datatype or its language, if it has one. */
export interface Literal {
  readonly text: string
  readonly datatype?: string
  readonly language?: string
}

/** One statement. Resources are IRIs, or begin with `_:`. */
export interface Triple {
  readonly subject: string
  readonly predicate: string
  readonly object: string | Literal
  /** The element of the statement. */
  readonly element: Element
}

type List = (string | Literal)[]
type Lists = Map<string, List>

interface Incomplete {
  readonly predicate: string
  readonly direction: 'forward' | 'reverse' | 'list'
  readonly list?: List
}

interface Context {
  readonly names: Names
  readonly language: string
  readonly subject: string
  readonly object: string
  readonly incomplete: readonly Incomplete[]
  readonly lists: Lists
}

/** An element whose children are read. */
interface Open {
  readonly context: Context
  readonly element: Element
  readonly end: number
  /** The lists that it began, and their subject. */
  readonly own: { readonly lists: Lists; readonly subject: string } | null
}

/** A value that is the text in an element, or the markup in it. */
class Content {
  readonly isMarkup: boolean
  readonly literalOf: (text: string) => Literal

  constructor(isMarkup: boolean, literalOf: (text: string) => Literal) {
    this.isMarkup = isMarkup
    this.literalOf = literalOf
  }
}

/** An element that was read, except for its properties and all that follows them. */
interface Begun {
  readonly element: Element
  readonly outer: Context
  readonly names: Names
  readonly language: string
  readonly subject: string | null
  readonly object: string | null
  readonly isSkipped: boolean
  readonly lists: Lists
  readonly isNew: boolean
  readonly incomplete: readonly Incomplete[]
  readonly predicates: readonly string[]
  /** The value of all its properties. */
  readonly value: string | Literal | Content | null
}

/**
 * Reads the RDFa of an HTML page (RDFa Core 1.1, HTML+RDFa 1.1) as statements. `base`: the page's
 * address; `resolve` makes addresses absolute. `inParts`: long texts are read in parts, too, as
 * there are no threads.
 */
export function rdfaParts(
  tree: Tree,
  budget: PageBudget,
  base: string,
  resolve: (href: string) => string,
  inParts: boolean,
): Parts<readonly Triple[]> {
  return new RdfaReader(tree, budget, base, resolve).read(inParts)
}

class RdfaReader {
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #base: string
  readonly #resolve: (href: string) => string
  readonly #triples: Triple[] = []
  readonly #known = new Set<string>()
  /** A number for each text, so that statements about one thing do not repeat its name. */
  readonly #numbers = new Map<string, number>()
  #blanks = 0

  constructor(tree: Tree, budget: PageBudget, base: string, resolve: (href: string) => string) {
    this.#tree = tree
    this.#budget = budget
    this.#base = base
    this.#resolve = resolve
  }

  *read(inParts: boolean): Parts<readonly Triple[]> {
    const lists: Lists = new Map()
    const first: Context = {
      names: FIRST_NAMES,
      language: '',
      subject: this.#base,
      object: this.#base,
      incomplete: [],
      lists,
    }
    const open: Open[] = []
    const parts = new StepParts(this.#budget)
    for (const element of this.#tree.elements) {
      const position = element.startIndex ?? 0
      while ((open.at(-1)?.end ?? position) < position) yield* this.#close(open.pop())
      if (parts.ends()) yield
      this.#budget.work(ELEMENT_STEPS)
      this.#budget.unpaid(ELEMENT_REST)
      const begun = this.#begin(element, open.at(-1)?.context ?? first)
      const { value } = begun
      open.push(
        this.#end(
          begun,
          value instanceof Content
            ? value.literalOf(
                inParts
                  ? yield* this.#contentParts(element, value)
                  : this.#contentOf(element, value),
              )
            : value,
        ),
      )
    }
    while (open.length > 0) yield* this.#close(open.pop())
    const { root } = this.#tree
    if (root !== null) yield* this.#writeLists(lists, this.#base, root)
    return yield* copied(this.#triples, this.#budget)
  }

  #contentOf(element: Element, { isMarkup }: Content): string {
    if (isMarkup) return innerHtml(element, this.#budget)
    const text = rawText(element, this.#budget)
    this.#budget.make(text.length)
    return text
  }

  *#contentParts(element: Element, { isMarkup }: Content): Parts<string> {
    if (isMarkup) return yield* innerParts(element, this.#budget)
    const text = yield* rawParts(element, this.#budget)
    this.#budget.make(text.length)
    return text
  }

  *#close(open: Open | undefined): Parts<void> {
    if (open?.own) yield* this.#writeLists(open.own.lists, open.own.subject, open.element)
  }

  #begin(element: Element, context: Context): Begun {
    const { attribs } = element
    const names = namesIn(element, context.names)
    if (names.prefixes !== context.names.prefixes) this.#budget.work(names.prefixes.size)
    if (names.vocabulary !== null && attribs['vocab'] !== undefined)
      this.#add(this.#base, `${RDFA}usesVocabulary`, names.vocabulary, element)
    const language = attribs['xml:lang'] ?? attribs['lang'] ?? context.language
    const read = this.#subjects(element, names, context)
    const { subject, isSkipped, typed } = read
    let { object } = read
    if (typed !== null)
      for (const type of this.#terms(attribs['typeof'], names))
        this.#add(typed, `${RDF}type`, type, element)
    const isNew = subject !== null && subject !== context.object
    const lists: Lists = isNew ? new Map() : context.lists
    const incomplete: Incomplete[] = []
    const { rel, rev } = this.#relations(element, names)
    if (subject !== null && (rel !== null || rev !== null)) {
      const isList = attribs['inlist'] !== undefined
      for (const predicate of rel ?? []) {
        const list = isList ? listOf(lists, predicate) : undefined
        if (object === null)
          incomplete.push(
            list === undefined
              ? { predicate, direction: 'forward' }
              : { predicate, direction: 'list', list },
          )
        else if (list !== undefined) list.push(object)
        else this.#add(subject, predicate, object, element)
      }
      for (const predicate of rev ?? [])
        if (object === null) incomplete.push({ predicate, direction: 'reverse' })
        else this.#add(object, predicate, subject, element)
      object ??= this.#blank()
    }
    const predicates = subject === null ? [] : this.#terms(attribs['property'], names)
    return {
      element,
      outer: context,
      names,
      language,
      subject,
      object,
      isSkipped,
      lists,
      isNew,
      incomplete,
      predicates,
      value: predicates.length === 0 ? null : this.#value(element, names, language, typed),
    }
  }

  /** Ends the reading of an element. `value`: that of its properties. */
  #end(begun: Begun, value: string | Literal | null): Open {
    const { element, outer: context, names, language, subject, object } = begun
    const { isSkipped, lists, isNew, incomplete } = begun
    if (subject !== null && value !== null) this.#properties(begun, subject, value)
    if (!isSkipped && subject !== null)
      for (const statement of context.incomplete)
        this.#complete(statement, context.subject, subject, element)
    return {
      element,
      end: element.endIndex ?? element.startIndex ?? 0,
      own: isNew && subject !== null ? { lists, subject } : null,
      context: isSkipped
        ? { ...context, names, language }
        : {
            names,
            language,
            subject: subject ?? context.subject,
            object: object ?? subject ?? context.subject,
            incomplete,
            lists,
          },
    }
  }

  /** The subject of an element, the resource that it refers to, and which of the two has the types. */
  #subjects(element: Element, names: Names, context: Context) {
    const { attribs, name } = element
    const isTyped = attribs['typeof'] !== undefined
    const isRoot = element === this.#tree.root
    const outer = name === 'head' || name === 'body' ? context.object : null
    const about = this.#resource(attribs['about'], names)
    const target = (): string | null =>
      this.#resource(attribs['resource'], names) ??
      this.#address(attribs['href']) ??
      this.#address(attribs['src'])
    const root = isRoot ? this.#base : null
    const { rel, rev } = this.#relations(element, names)
    if (rel !== null || rev !== null) {
      const subject = about ?? root ?? context.object
      const object = target() ?? (isTyped && about === null ? this.#blank() : null)
      const typed = !isTyped ? null : about === null ? object : subject
      return { subject, object, typed, isSkipped: false }
    }
    const isProperty = attribs['property'] !== undefined
    if (isProperty && attribs['content'] === undefined && attribs['datatype'] === undefined) {
      const typed = isTyped ? (about ?? root ?? target() ?? outer ?? this.#blank()) : null
      return { subject: about ?? root ?? context.object, object: typed, typed, isSkipped: false }
    }
    const named = about ?? target() ?? root ?? outer ?? (isTyped ? this.#blank() : null)
    const isSkipped = named === null && !isProperty
    const subject = named ?? context.object
    return { subject, object: null, typed: isTyped ? subject : null, isSkipped }
  }

  /** The properties that an element names in `rel` and `rev`. `null`: it has no such attribute. */
  #relations({ attribs }: Element, names: Names) {
    const { rel, rev, property } = attribs
    // Beside `property`, a plain word is a relation of HTML.
    const read = (words: string | undefined): readonly string[] | null => {
      if (words === undefined) return null
      const some = wordsOf(words).filter((word) => property === undefined || word.includes(':'))
      return property !== undefined && some.length === 0
        ? null
        : some.flatMap((word) => termOf(word, names) ?? [])
    }
    return { rel: read(rel), rev: read(rev) }
  }

  #properties(
    { element, lists, predicates }: Begun,
    subject: string,
    value: string | Literal,
  ): void {
    const isList = element.attribs['inlist'] !== undefined
    for (const predicate of predicates)
      if (isList) listOf(lists, predicate).push(value)
      else this.#add(subject, predicate, value, element)
  }

  #value(element: Element, names: Names, language: string, typed: string | null): Begun['value'] {
    const { attribs, name } = element
    const { rel, rev } = this.#relations(element, names)
    const attribute =
      attribs['content'] ??
      (name === 'data' ? attribs['value'] : name === 'time' ? attribs['datetime'] : undefined)
    const datatype = attribs['datatype']
    const type = datatype === undefined || datatype === '' ? null : termOf(datatype.trim(), names)
    if (type === `${RDF}XMLLiteral` || type === `${RDF}HTML`)
      return new Content(true, (text) => ({ text, datatype: type }))
    /** The text of an attribute, or else of the element. */
    const contentAs = (literalOf: (text: string) => Literal): Literal | Content =>
      attribute === undefined ? new Content(false, literalOf) : literalOf(attribute)
    if (type !== null) return contentAs((text) => ({ text, datatype: type }))
    const plain = (text: string): Literal => (language === '' ? { text } : { text, language })
    if (datatype !== undefined) return contentAs(plain)
    if (name === 'time' && attribs['content'] === undefined)
      return contentAs((text) => {
        const kind = timeType(text)
        return kind === null ? plain(text) : { text, datatype: XSD + kind }
      })
    if (attribute !== undefined) return plain(attribute)
    if (rel === null && rev === null) {
      const target =
        this.#resource(attribs['resource'], names) ??
        this.#address(attribs['href']) ??
        this.#address(attribs['src'])
      if (target !== null) return target
    }
    if (attribs['typeof'] !== undefined && attribs['about'] === undefined) return typed
    return new Content(false, plain)
  }

  #complete(
    { predicate, direction, list }: Incomplete,
    outer: string,
    subject: string,
    element: Element,
  ): void {
    if (direction === 'list') list?.push(subject)
    else if (direction === 'forward') this.#add(outer, predicate, subject, element)
    else this.#add(subject, predicate, outer, element)
  }

  *#writeLists(lists: Lists, subject: string, element: Element): Parts<void> {
    const parts = new StepParts(this.#budget)
    for (const [predicate, values] of lists) {
      const nodes = values.map(() => this.#blank())
      this.#add(subject, predicate, nodes[0] ?? `${RDF}nil`, element)
      for (const [index, node] of nodes.entries()) {
        if (parts.ends()) yield
        this.#add(node, `${RDF}first`, values[index] ?? '', element)
        this.#add(node, `${RDF}rest`, nodes[index + 1] ?? `${RDF}nil`, element)
      }
    }
  }

  #add(subject: string, predicate: string, object: string | Literal, element: Element): void {
    this.#budget.unpaid(STATEMENT_REST)
    if (this.#triples.length >= MAX_TRIPLES) {
      this.#budget.cut('statements of RDFa', MAX_TRIPLES, 'page')
      return
    }
    this.#budget.work(STATEMENT_STEPS + (predicate.length >> 2))
    // A graph contains each statement once.
    const parts =
      typeof object === 'string'
        ? [subject, predicate, object]
        : [subject, predicate, object.text, object.datatype ?? '', object.language ?? '', '']
    const key = parts.map((part) => this.#numberOf(part)).join(' ')
    if (this.#known.has(key)) return
    this.#known.add(key)
    this.#triples.push({ subject, predicate, object, element })
  }

  #numberOf(text: string): number {
    const present = this.#numbers.get(text)
    if (present !== undefined) return present
    this.#numbers.set(text, this.#numbers.size)
    return this.#numbers.size - 1
  }

  #terms(words: string | undefined, names: Names): readonly string[] {
    return words === undefined ? [] : wordsOf(words).flatMap((word) => termOf(word, names) ?? [])
  }

  #resource(reference: string | undefined, names: Names): string | null {
    return reference === undefined ? null : resourceOf(reference, names, this.#resolve)
  }

  #address(href: string | undefined): string | null {
    return href === undefined ? null : this.#resolve(href)
  }

  #blank(): string {
    return `_:seine-${++this.#blanks}`
  }
}

function wordsOf(list: string): string[] {
  return list
    .trim()
    .split(/\s+/, MAX_WORDS)
    .filter((word) => word !== '')
}

function listOf(lists: Lists, predicate: string): List {
  const present = lists.get(predicate)
  if (present !== undefined) return present
  const list: List = []
  lists.set(predicate, list)
  return list
}

/** Types of XML Schema that a text of `<time>` may have. */
const TIME_TYPES: readonly (readonly [type: string, pattern: RegExp])[] = [
  [
    'duration',
    /^-?P(?=\d|T)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
  ],
  ['dateTime', /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/],
  ['date', /^-?\d{4,}-\d\d-\d\d(?:Z|[+-]\d\d:\d\d)?$/],
  ['time', /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/],
  ['gYearMonth', /^-?\d{4,}-\d\d$/],
  ['gYear', /^-?\d{4,}$/],
]

function timeType(text: string): string | null {
  return TIME_TYPES.find(([, pattern]) => pattern.test(text.trim()))?.[0] ?? null
}

/** Adds the properties of a pattern to the things that copy it (HTML+RDFa 1.1, 3.4). */
function* copied(triples: readonly Triple[], budget: PageBudget): Parts<readonly Triple[]> {
  const copies = triples.filter(({ predicate }) => predicate === `${RDFA}copy`)
  if (copies.length === 0) return triples
  yield
  const patterns = new Set(
    triples.flatMap(({ subject, predicate, object }) =>
      predicate === `${RDF}type` && object === `${RDFA}Pattern` ? [subject] : [],
    ),
  )
  const bySubject = yield* bySubjectParts(triples, budget)
  const made = [...triples]
  const targets = copies.map(({ subject, object }) => ({ subject, object, depth: 0 }))
  const pass = new QuickPass(budget)
  for (const { subject, object, depth } of targets) {
    if (typeof object !== 'string' || !patterns.has(object)) continue
    for (const triple of bySubject.get(object) ?? []) {
      if (pass.ends()) yield
      budget.work(1)
      if (made.length >= MAX_TRIPLES) break
      if (triple.predicate === `${RDFA}copy`) {
        if (depth < MAX_WORDS) targets.push({ subject, object: triple.object, depth: depth + 1 })
      } else if (triple.object !== `${RDFA}Pattern`) made.push({ ...triple, subject })
    }
  }
  return yield* filterParts(
    made,
    ({ subject, predicate, object }) =>
      !patterns.has(subject) &&
      !(predicate === `${RDFA}copy` && typeof object === 'string' && patterns.has(object)),
    budget,
  )
}

/** Statements by their subject, in parts. */
export function* bySubjectParts(
  triples: readonly Triple[],
  budget: PageBudget,
): Parts<Map<string, Triple[]>> {
  const bySubject = new Map<string, Triple[]>()
  const pass = new QuickPass(budget)
  for (const triple of triples) {
    if (pass.ends()) yield
    const list = bySubject.get(triple.subject)
    if (list === undefined) bySubject.set(triple.subject, [triple])
    else list.push(triple)
  }
  return bySubject
}
