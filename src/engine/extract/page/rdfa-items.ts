import type { Json } from '../../../kernel/json.ts'
import type { Element } from 'domhandler'
import { collapseParts } from '../tree/text-content.ts'
import { MAX_NAMES } from './microdata.ts'
import type { MicrodataItem } from './microdata.ts'
import { QuickPass, StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'
import { compactName } from './rdfa-context.ts'
import { bySubjectParts, RDF } from './rdfa.ts'
import type { Triple } from './rdfa.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
/** Maximum number of values of an item that contains items which are written more than once. */
const MAX_VALUES = 10_000
/** Maximum number of members of all lists. Each is counted as often as its list is written. */
const MAX_MEMBERS = 50_000
const VALUE_STEPS = 8
/** Steps of a value that nobody pays for. */
const VALUE_REST = 30

type Item = { [property: string]: Json }

/**
 * Makes items from RDFa statements: one for each thing with a type, in the form of microdata items,
 * with the things that it refers to inside. Names of schema.org are short, others have their usual
 * prefix (`foaf:name`).
 */
export function* rdfaItemParts(
  triples: readonly Triple[],
  budget: PageBudget,
): Parts<readonly MicrodataItem[]> {
  budget.work(triples.length)
  const maker = new ItemMaker(yield* knowledgeOf(triples, budget), budget)
  const { typed } = maker
  if (typed.size > MAX_ITEMS) budget.cut('items of RDFa', MAX_ITEMS, 'page')
  const made: { subject: string; element: Element; value: Item }[] = []
  for (const [subject, element] of [...typed].slice(0, MAX_ITEMS)) {
    yield
    const value = yield* maker.valueOf(subject, 0)
    if (value !== null) made.push({ subject, element, value })
  }
  return made
    .map(({ subject, element, value }) => ({ element, value, isTop: !maker.inner.has(subject) }))
    .toSorted((a, b) => (a.element.startIndex ?? 0) - (b.element.startIndex ?? 0))
}

/** The statements of a page by what is asked of them. */
interface Knowledge {
  /** The things that have a type, each with its last element. */
  readonly typed: ReadonlyMap<string, Element>
  readonly bySubject: ReadonlyMap<string, readonly Triple[]>
  /** The first member of each RDF list, and the rest of the list. */
  readonly firsts: ReadonlyMap<string, Triple['object']>
  readonly rests: ReadonlyMap<string, Triple['object']>
}

function* knowledgeOf(triples: readonly Triple[], budget: PageBudget): Parts<Knowledge> {
  const bySubject = yield* bySubjectParts(triples, budget)
  const typed = new Map<string, Element>()
  const firsts = new Map<string, Triple['object']>()
  const rests = new Map<string, Triple['object']>()
  const pass = new QuickPass(budget)
  for (const { subject, predicate, object, element } of triples) {
    if (pass.ends()) yield
    if (predicate === `${RDF}type`) typed.set(subject, element)
    else if (predicate === `${RDF}first`) {
      if (!firsts.has(subject)) firsts.set(subject, object)
    } else if (predicate === `${RDF}rest` && !rests.has(subject)) rests.set(subject, object)
  }
  return { typed, bySubject, firsts, rests }
}

class ItemMaker {
  /** Subjects of items that are within another item. */
  readonly inner = new Set<string>()
  readonly typed: Knowledge['typed']
  readonly #bySubject: Knowledge['bySubject']
  readonly #firsts: Knowledge['firsts']
  readonly #rests: Knowledge['rests']
  readonly #budget: PageBudget
  readonly #made = new Map<string, { readonly value: Item; readonly size: number }>()
  /** The things in progress. If one of them occurs inside itself, only its name is written there. */
  readonly #making = new Set<string>()
  #membersLeft = MAX_MEMBERS

  constructor({ typed, bySubject, firsts, rests }: Knowledge, budget: PageBudget) {
    this.typed = typed
    this.#bySubject = bySubject
    this.#firsts = firsts
    this.#rests = rests
    this.#budget = budget
  }

  /** The value of a thing. `null`: it would be inside itself, or too deep. */
  *valueOf(subject: string, level: number): Parts<Item | null> {
    const present = this.#made.get(subject)
    if (present !== undefined) return present.value
    if (this.#making.has(subject)) return null
    if (level > MAX_DEPTH) {
      this.#budget.cut('levels of RDFa', MAX_DEPTH, 'page')
      return null
    }
    this.#making.add(subject)
    const values = new Map<string, Json[]>()
    let size = 1
    const steps = new StepParts(this.#budget)
    for (const { predicate, object } of this.#bySubject.get(subject) ?? []) {
      if (steps.ends()) yield
      this.#budget.work(VALUE_STEPS + (predicate.length >> 2))
      this.#budget.unpaid(VALUE_REST)
      const isType = predicate === `${RDF}type`
      const name = isType ? '@type' : compactName(predicate)
      if (name === '__proto__') continue
      const before = this.#made.size
      const parts = isType
        ? [compactName(String(object))]
        : typeof object === 'string'
          ? yield* this.#parts(object, level, size)
          : [yield* collapseParts(object.text, this.#budget)]
      size += parts.length + (this.#made.size - before)
      for (const part of typeof object === 'string' ? [object] : [])
        size += this.#made.get(part)?.size ?? 0
      const list = values.get(name)
      if (list === undefined && values.size === MAX_NAMES) {
        this.#budget.cut('names of an item', MAX_NAMES, 'page')
        continue
      }
      if (list === undefined) values.set(name, [...parts])
      else for (const part of parts) list.push(part)
    }
    this.#making.delete(subject)
    const item: Item = {}
    if (!subject.startsWith('_:')) item['@id'] = subject
    for (const [name, list] of values) item[name] = list.length === 1 ? (list[0] ?? null) : list
    this.#made.set(subject, { value: item, size })
    return item
  }

  /** The values of a property: a text, a URL, an item, or each member of a list. */
  *#parts(object: Triple['object'], level: number, before: number): Parts<readonly Json[]> {
    if (typeof object !== 'string') return [yield* collapseParts(object.text, this.#budget)]
    if (object === `${RDF}nil`) return []
    if (this.#firsts.has(object)) {
      if (level <= MAX_DEPTH) {
        const values: Json[] = []
        for (const member of yield* this.#members(object))
          for (const value of yield* this.#parts(member, level + 1, before)) values.push(value)
        return values
      }
      this.#budget.cut('levels of RDFa', MAX_DEPTH, 'page')
      return []
    }
    const isThing =
      this.#bySubject.has(object) && (object.startsWith('_:') || this.typed.has(object))
    if (!isThing) return object.startsWith('_:') ? [] : [object]
    const made = this.#made.get(object)
    if (made !== undefined && before + made.size > MAX_VALUES) {
      this.#budget.cut('values of an RDFa item', MAX_VALUES, 'page')
      return [object]
    }
    const value = yield* this.valueOf(object, level + 1)
    if (value === null) return object.startsWith('_:') ? [] : [object]
    this.inner.add(object)
    return [value]
  }

  /** The members of a list of RDF. */
  *#members(head: string): Parts<readonly Triple['object'][]> {
    const members: Triple['object'][] = []
    const seen = new Set<string>()
    const steps = new StepParts(this.#budget)
    for (let node = head; node !== `${RDF}nil` && !seen.has(node);) {
      const first = this.#firsts.get(node)
      if (first === undefined) break
      if (this.#membersLeft-- <= 0) {
        this.#budget.cut('members of RDFa lists', MAX_MEMBERS, 'page')
        break
      }
      if (steps.ends()) yield
      this.#budget.work(VALUE_STEPS)
      this.#budget.unpaid(VALUE_REST)
      seen.add(node)
      members.push(first)
      const rest = this.#rests.get(node)
      node = typeof rest === 'string' ? rest : `${RDF}nil`
    }
    return members
  }
}
