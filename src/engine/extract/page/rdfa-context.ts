import type { Element } from 'domhandler'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const XHTML = 'http://www.w3.org/1999/xhtml/vocab#'
const W3 = 'http://www.w3.org/'
const PURL = 'http://purl.org/'
const MOST_PREFIXES = 200
/**
 * Maximum length of a resolved name. Without a limit, each word of a page could become as long as
 * its vocabulary.
 */
const LONGEST_NAME = 2_048
/** A prefix and its colon, if no `//` follows. */
const CURIE = /^([^:/?#\s]*):(?!\/\/)(.*)$/s

/** The prefixes that every page has (RDFa 1.1 initial context). */
const PREFIXES: readonly (readonly [prefix: string, iri: string])[] = [
  ['as', `${W3}ns/activitystreams#`],
  ['cc', 'http://creativecommons.org/ns#'],
  ['csvw', `${W3}ns/csvw#`],
  ['ctag', 'http://commontag.org/ns#'],
  ['dc', `${PURL}dc/terms/`],
  ['dc11', `${PURL}dc/elements/1.1/`],
  ['dcat', `${W3}ns/dcat#`],
  ['dcterms', `${PURL}dc/terms/`],
  ['dqv', `${W3}ns/dqv#`],
  ['duv', `${W3}ns/duv#`],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['gr', `${PURL}goodrelations/v1#`],
  ['grddl', `${W3}2003/g/data-view#`],
  ['ical', `${W3}2002/12/cal/icaltzd#`],
  ['ldp', `${W3}ns/ldp#`],
  ['ma', `${W3}ns/ma-ont#`],
  ['oa', `${W3}ns/oa#`],
  ['odrl', `${W3}ns/odrl/2/`],
  ['og', 'http://ogp.me/ns#'],
  ['org', `${W3}ns/org#`],
  ['owl', `${W3}2002/07/owl#`],
  ['prov', `${W3}ns/prov#`],
  ['qb', `${PURL}linked-data/cube#`],
  ['rdf', RDF],
  ['rdfa', `${W3}ns/rdfa#`],
  ['rdfs', `${W3}2000/01/rdf-schema#`],
  ['rev', `${PURL}stuff/rev#`],
  ['rif', `${W3}2007/rif#`],
  ['rr', `${W3}ns/r2rml#`],
  ['schema', 'http://schema.org/'],
  ['sd', `${W3}ns/sparql-service-description#`],
  ['sioc', 'http://rdfs.org/sioc/ns#'],
  ['skos', `${W3}2004/02/skos/core#`],
  ['skosxl', `${W3}2008/05/skos-xl#`],
  ['sosa', `${W3}ns/sosa/`],
  ['ssn', `${W3}ns/ssn/`],
  ['time', `${W3}2006/time#`],
  ['v', 'http://rdf.data-vocabulary.org/#'],
  ['vcard', `${W3}2006/vcard/ns#`],
  ['void', 'http://rdfs.org/ns/void#'],
  ['wdr', `${W3}2007/05/powder#`],
  ['wdrs', `${W3}2007/05/powder-s#`],
  ['xhv', XHTML],
  ['xml', `${W3}XML/1998/namespace`],
  ['xsd', `${W3}2001/XMLSchema#`],
  ['', XHTML],
]
const TERMS = new Map([
  ['describedby', `${W3}2007/05/powder-s#describedby`],
  ['license', `${XHTML}license`],
  ['role', `${XHTML}role`],
])

/** The context in which names of an element are read: its vocabulary and prefixes. */
export interface Names {
  readonly vocabulary: string | null
  readonly prefixes: ReadonlyMap<string, string>
}

/** The names that are valid at the start of every page. */
export const FIRST_NAMES: Names = { vocabulary: null, prefixes: new Map(PREFIXES) }

/** The names that are valid within an element, which may declare others. */
export function namesIn({ attribs }: Element, names: Names): Names {
  const { vocab, prefix } = attribs
  const declared = Object.entries(attribs).flatMap(([name, value]) =>
    name.startsWith('xmlns:') ? [[name.slice(6).toLowerCase(), value] as const] : [],
  )
  const words = prefix?.trim().split(/\s+/) ?? []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [name = '', iri = ''] = [words[index], words[index + 1]]
    if (name.endsWith(':') && name !== '_:') declared.push([name.slice(0, -1).toLowerCase(), iri])
  }
  if (vocab === undefined && declared.length === 0) return names
  const vocabulary = vocab === undefined ? names.vocabulary : vocab.trim() || null
  if (declared.length === 0) return { ...names, vocabulary }
  const prefixes = new Map(names.prefixes)
  for (const [name, iri] of declared) if (prefixes.size < MOST_PREFIXES) prefixes.set(name, iri)
  return { vocabulary, prefixes }
}

/** Resolves a word of `property`, `rel`, `typeof` or `datatype` to its full name, or `null`. */
export function termOf(word: string, names: Names): string | null {
  const name = nameOf(word, names)
  return name === null || name.length > LONGEST_NAME ? null : name
}

function nameOf(word: string, { vocabulary, prefixes }: Names): string | null {
  const [, prefix = null, rest = ''] = CURIE.exec(word) ?? []
  if (prefix === '_') return word
  const iri = prefix === null ? undefined : prefixes.get(prefix.toLowerCase())
  if (iri !== undefined) return iri + rest
  if (/^[a-z][a-z\d+.-]*:/i.test(word)) return word
  if (/[:/]/.test(word) || !/^[\p{L}_]/u.test(word)) return null
  return vocabulary === null ? (TERMS.get(word.toLowerCase()) ?? null) : vocabulary + word
}

/**
 * Resolves the value of `about` or `resource`, or returns `null`. `resolve` makes addresses
 * absolute.
 */
export function resourceOf(
  reference: string,
  { prefixes }: Names,
  resolve: (href: string) => string,
): string | null {
  const text = reference.trim()
  const isSafe = text.startsWith('[') && text.endsWith(']')
  const [, prefix = null, rest = ''] = CURIE.exec(isSafe ? text.slice(1, -1) : text) ?? []
  if (prefix === '_') return `_:${rest}`
  const iri = prefix === null ? undefined : prefixes.get(prefix.toLowerCase())
  if (iri !== undefined && (isSafe || prefix !== ''))
    return iri.length + rest.length > LONGEST_NAME ? null : iri + rest
  return isSafe ? null : resolve(text)
}

const SCHEMA = /^https?:\/\/(?:www\.)?schema\.org\//

/** An IRI in its usual short form: without schema.org's address, or with a usual prefix. */
export function compactName(iri: string): string {
  const short = iri.replace(SCHEMA, '')
  if (short !== iri && short !== '') return short
  const [prefix = '', start = ''] =
    PREFIXES.find(([name, address]) => name !== '' && iri.startsWith(address) && iri !== address) ??
    []
  return prefix === '' ? iri : `${prefix}:${iri.slice(start.length)}`
}
