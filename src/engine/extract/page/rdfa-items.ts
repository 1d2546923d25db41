import type { Json } from '../../../kernel/json.ts'
import { collapse } from '../tree/text-content.ts'
import type { MicrodataItem } from './microdata.ts'
import type { PageBudget } from './page-budget.ts'
import { compactName } from './rdfa-context.ts'
import { RDF } from './rdfa.ts'
import type { Triple } from './rdfa.ts'

const MAX_ITEMS = 5_000
const MAX_DEPTH = 20
/** Maximum values of an item that has items which are written more than once. */
const MAX_VALUES = 10_000

type Item = { [property: string]: Json }

/**
 * Makes items of RDFa's statements: one of each thing that has a type, in the form of microdata
 * items, with what it refers to inside it. Names of schema.org are short, others have their usual
 * prefix (`foaf:name`).
 */
export function rdfaItems(
  triples: readonly Triple[],
  budget: PageBudget,
): readonly MicrodataItem[] {
  const maker = new ItemMaker(triples, budget)
  const typed = new Map(
    triples.flatMap(({ subject, predicate, element }) =>
      predicate === `${RDF}type` ? [[subject, element] as const] : [],
    ),
  )
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
  /** What is within another item. */
  readonly inner = new Set<string>()
  readonly #bySubject: ReadonlyMap<string, readonly Triple[]>
  readonly #budget: PageBudget
  readonly #made = new Map<string, { readonly value: Item; readonly size: number }>()
  /** The things that are being made: one of them within itself is its name alone. */
  readonly #making = new Set<string>()

  constructor(triples: readonly Triple[], budget: PageBudget) {
    this.#bySubject = Map.groupBy(triples, ({ subject }) => subject)
    this.#budget = budget
  }

  /** The value of a thing. `null`: it would be within itself, or too deep. */
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
      this.#budget.work(1)
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

  /** What a property says: a text, an address, a thing, or each member of a list. */
  #parts(object: Triple['object'], level: number, before: number): readonly Json[] {
    if (typeof object !== 'string') return [collapse(object.text)]
    const members = this.#members(object)
    if (members !== null) return members.flatMap((one) => this.#parts(one, level + 1, before))
    const triples = this.#bySubject.get(object)
    const isThing =
      triples !== undefined &&
      (object.startsWith('_:') || triples.some(({ predicate }) => predicate === `${RDF}type`))
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

  /** The members of a list of RDF. `null`: it is none. */
  #members(head: string): readonly Triple['object'][] | null {
    const members: Triple['object'][] = []
    const seen = new Set<string>()
    for (let node = head; node !== `${RDF}nil` && !seen.has(node);) {
      const triples = this.#bySubject.get(node) ?? []
      const first = triples.find(({ predicate }) => predicate === `${RDF}first`)
      if (first === undefined) return null
      seen.add(node)
      members.push(first.object)
      const rest = triples.find(({ predicate }) => predicate === `${RDF}rest`)?.object
      node = typeof rest === 'string' ? rest : `${RDF}nil`
    }
    this.#budget.work(members.length)
    return members
  }
}
