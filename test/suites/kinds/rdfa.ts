import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { rdfaParts } from '../../../src/engine/extract/page/rdfa.ts'
import type { Literal } from '../../../src/engine/extract/page/rdfa.ts'
import { htmlContent } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** The statements of RDFa. Blank nodes are equal if their statements are. */
export const rdfaKinds: Readonly<Record<string, Kind>> = { rdfa: { judge } }

type Terms = readonly [subject: string, predicate: string, object: string]

function judge(one: Case): boolean {
  const page = htmlContent(one)
  const triples = atOnce(
    rdfaParts(page.tree, page.budget, page.baseUrl, (href) => page.nameOf(href), false),
  )
  const actual = triples.map(({ subject, predicate, object }): Terms => [
    resource(subject),
    resource(predicate),
    typeof object === 'string' ? resource(object) : literal(object),
  ])
  const expected = one.value('triples')
  return graph(actual) === graph(Array.isArray(expected) ? expected.map(termsOf) : [])
}

function termsOf(triple: Value): Terms {
  const [subject, predicate, object] = Array.isArray(triple) ? triple.map(String) : []
  return [subject ?? '', predicate ?? '', object ?? '']
}

function resource(name: string): string {
  return name.startsWith('_:') ? name : `<${name}>`
}

function literal({ text, datatype, language }: Literal): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  // In RDF 1.1 a plain text is of this type.
  if (datatype !== undefined && datatype !== 'http://www.w3.org/2001/XMLSchema#string')
    return `"${escaped}"^^<${datatype}>`
  return language === undefined ? `"${escaped}"` : `"${escaped}"@${language.toLowerCase()}`
}

const ROUNDS = 6

/** A graph as text: each blank node has the name of all that is said of it, some steps around. */
function graph(triples: readonly Terms[]): string {
  let names = new Map<string, string>()
  const shown = (term: string): string =>
    term.startsWith('_:')
      ? `_:${names.get(term) ?? ''}`
      : term.replace(/@([\w-]+)$/, (tag) => tag.toLowerCase())
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Map<string, string[]>()
    const say = (node: string, what: string): void => {
      if (node.startsWith('_:')) next.set(node, [...(next.get(node) ?? []), what])
    }
    for (const [subject, predicate, object] of triples) {
      say(subject, `> ${predicate} ${shown(object)}`)
      say(object, `< ${predicate} ${shown(subject)}`)
    }
    names = new Map(
      [...next].map(([node, lines]) => [node, String(hash(lines.toSorted().join('\n')))]),
    )
  }
  return [...new Set(triples.map((terms) => terms.map(shown).join(' ')))].toSorted().join('\n')
}

function hash(text: string): number {
  let sum = 0
  for (const char of text) sum = (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) | 0
  return sum
}
