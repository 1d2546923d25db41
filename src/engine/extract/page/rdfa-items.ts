import type { Json } from '../../../kernel/json.ts'
import type { Element } from 'domhandler'
import { collapse } from '../tree/text-content.ts'
import type { MicrodataItem } from './microdata.ts'
import type { PageBudget } from './page-budget.ts'
import { compactName } from './rdfa-context.ts'
import { RDF } from './rdfa.ts'
import type { Triple } from './rdfa.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
/** Maximum number of values of an item that contains items which are written more than once. */
const MAX_VALUES = 10_000
/** Maximum number of members of all lists. Each is counted as often as its list is written. */
const MAX_MEMBERS = 50_000
const VALUE_STEPS = 8

type Item = { [property: string]: Json }

/**
 * Makes items from RDFa statements: one for each thing with a type, in the form of microdata items,
 * with the things that it refers to inside. Names of schema.org are short, others have their usual
 * prefix (`foaf:name`).
 */
export function rdfaItems(
  triples: readonly Triple[],
  budget: PageBudget,
): readonly MicrodataItem[] {
  const maker = new ItemMaker(triples, budget)
  const { typed } = maker
  if (typed.size > MAX_ITEMS) budget.cut('items of RDFa', MAX_ITEMS, 'page')
  const made = [...typed].slice(0, MAX_ITEMS).flatMap(([subject, element]) => {
    const value = maker.valueOf(subject, 0)
    return value === null ? [] : [{ subject, element, value }]
  })
  return made
    .map(({ subject, element, value }) => ({ element, value, isTop: !maker.inner.has(subject) }))
    .toSorted((a, b) => (a.element.startIndex ?? 0) - (b.element.startIndex ?? 0))
}

class ItemMaker {
  /** Subjects of items that are within another item. */
  readonly inner = new Set<string>()
  /** The things that have a type, each with its last element. */
  readonly typed: ReadonlyMap<string, Element>
  readonly #bySubject: ReadonlyMap<string, readonly Triple[]>
  /** The first member of each RDF list, and the rest of the list. */
  readonly #firsts: ReadonlyMap<string, Triple['object']>
  readonly #rests: ReadonlyMap<string, Triple['object']>
  readonly #budget: PageBudget
  readonly #made = new Map<string, { readonly value: Item; readonly size: number }>()
  /** The things in progress. If one of them occurs inside itself, only its name is written there. */
  readonly #making = new Set<string>()
  #membersLeft = MAX_MEMBERS

  constructor(triples: readonly Triple[], budget: PageBudget) {
    this.#bySubject = Map.groupBy(triples, ({ subject }) => subject)
    this.#budget = budget
    budget.work(triples.length)
    this.typed = new Map(
      triples.flatMap(({ subject, predicate, element }) =>
        predicate === `${RDF}type` ? [[subject, element] as const] : [],
      ),
    )
    this.#firsts = firstOf(triples, `${RDF}first`)
    this.#rests = firstOf(triples, `${RDF}rest`)
  }

  /** The value of a thing. `null`: it would be inside itself, or too deep. */
  valueOf(subject: string, level: number): Item | null {
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
    for (const { predicate, object } of this.#bySubject.get(subject) ?? []) {
      this.#budget.work(VALUE_STEPS + (predicate.length >> 2))
      const isType = predicate === `${RDF}type`
      const name = isType ? '@type' : compactName(predicate)
      if (name === '__proto__') continue
      const before = this.#made.size
      const parts = isType ? [compactName(String(object))] : this.#parts(object, level, size)
      size += parts.length + (this.#made.size - before)
      for (const part of typeof object === 'string' ? [object] : [])
        size += this.#made.get(part)?.size ?? 0
      const list = values.get(name)
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
  #parts(object: Triple['object'], level: number, before: number): readonly Json[] {
    if (typeof object !== 'string') return [collapse(object.text)]
    if (object === `${RDF}nil`) return []
    if (this.#firsts.has(object)) {
      if (level <= MAX_DEPTH)
        return this.#members(object).flatMap((member) => this.#parts(member, level + 1, before))
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
    const value = this.valueOf(object, level + 1)
    if (value === null) return object.startsWith('_:') ? [] : [object]
    this.inner.add(object)
    return [value]
  }

  /** The members of a list of RDF. */
  #members(head: string): readonly Triple['object'][] {
    const members: Triple['object'][] = []
    const seen = new Set<string>()
    for (let node = head; node !== `${RDF}nil` && !seen.has(node);) {
      const first = this.#firsts.get(node)
      if (first === undefined) break
      if (this.#membersLeft-- <= 0) {
        this.#budget.cut('members of RDFa lists', MAX_MEMBERS, 'page')
        break
      }
      this.#budget.work(VALUE_STEPS)
      seen.add(node)
      members.push(first)
      const rest = this.#rests.get(node)
      node = typeof rest === 'string' ? rest : `${RDF}nil`
    }
    return members
  }
}

/** The first object of each subject that has a predicate. */
function firstOf(
  triples: readonly Triple[],
  predicate: string,
): ReadonlyMap<string, Triple['object']> {
  const objects = new Map<string, Triple['object']>()
  for (const triple of triples)
    if (triple.predicate === predicate && !objects.has(triple.subject))
      objects.set(triple.subject, triple.object)
  return objects
}
