import { alike, blanks, isObject } from '../compare.ts'
import { htmlContent } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Data that pages declare for machines. */
export const structuredKinds: Readonly<Record<string, Kind>> = {
  microdata: { judge: judgeMicrodata },
  jsonld: { judge: judgeJsonLd },
}

function judgeJsonLd(one: Case): boolean {
  const documents: Value = JSON.parse(JSON.stringify(htmlContent(one).data))
  return alike(flat(documents), flat(one.value('documents') ?? null))
}

/** Lists in lists are one list, and no member is null. */
function flat(value: Value): Value {
  if (Array.isArray(value)) return value.map(flat).flat()
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, flat(member)]),
  )
}

const VOCABULARY = /^https?:\/\/(?:www\.)?schema\.org\//

function judgeMicrodata(one: Case): boolean {
  const page = htmlContent(one)
  const items = page.microdata.filter(({ isTop }) => isTop).map(({ value }) => value)
  const expected = one.value('items')
  return alike(
    items.map((item) => itemOf(JSON.parse(JSON.stringify(item)))),
    Array.isArray(expected) ? expected.map((item) => expectedItem(item, one.text('url'))) : [],
  )
}

/** An item in the engine's form, which is that of JSON-LD: types, names, sorted values. */
function itemOf(value: Value): Value {
  if (!isObject(value)) return typeof value === 'string' ? blanks(value) : value
  const { '@type': type, '@id': id, ...properties } = value
  return {
    type: sorted(listOf(type ?? []).map(shortName)),
    id: id ?? null,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, values]) => [
        shortName(name),
        sorted(listOf(values).map(itemOf)),
      ]),
    ),
  }
}

function expectedItem(value: Value, base: string): Value {
  if (typeof value === 'string') return blanks(value)
  if (!isObject(value)) return value
  const { type, id, properties } = value
  return {
    type: sorted(listOf(type ?? []).map(shortName)),
    id: typeof id === 'string' ? (URL.parse(id, base)?.href ?? id) : null,
    properties: Object.fromEntries(
      Object.entries(isObject(properties) ? properties : {}).map(([name, values]) => [
        shortName(name),
        sorted(listOf(values).map((one) => expectedItem(one, base))),
      ]),
    ),
  }
}

function listOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [value]
}

function shortName(name: Value): string {
  return String(name).replace(VOCABULARY, '')
}

function sorted(values: readonly Value[]): Value {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
