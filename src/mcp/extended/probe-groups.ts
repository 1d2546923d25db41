import { isObject } from '../../kernel/json.ts'
import type { Api } from './api.ts'
import { partsOf } from './choose-sources.ts'
import type { Chosen } from './choose-sources.ts'
import { exactGroups, likelyGroup, namedGroups, namedProbeOf } from './short-list.ts'
import { probeOf, sourcesIn } from './short-list.ts'
import type { Group } from './short-list.ts'
import { sourceFor } from './source-of.ts'
import { columnFor } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** The groups of a page that have lists of values, by the names of the values. */
export async function namedIn(
  api: Api,
  {
    start,
    fitting,
    values,
    detected,
  }: {
    readonly start: Data
    readonly fitting: readonly Data[]
    readonly values: readonly Wanted[]
    readonly detected: Data
  },
): Promise<ReadonlyMap<string, Group>> {
  const ofPages = fitting.map(partsOf).filter(({ rest }) => rest['items'] === undefined)
  const lists = values.filter(
    ({ name, many, parts }) =>
      many &&
      parts.length === 0 &&
      ofPages.some(({ fields }) => columnFor(name, Object.keys(fields)) === null),
  )
  const groups = namedGroups(lists, detected)
  return groups.size === 0
    ? groups
    : exactGroups(groups, await previewOf(api, { start, extract: namedProbeOf(groups) }))
}

/**
 * The rows of a list that detection rejects, such as a list of single words. If no group has the
 * values, a model looks for the rows.
 */
export async function shortListOf(
  api: Api,
  {
    start,
    schema = {},
    values,
    detected,
  }: {
    readonly start: Data
    readonly schema: Data | undefined
    readonly values: readonly Wanted[]
    readonly detected: Data
  },
): Promise<Chosen> {
  const names = values.map(({ name }) => name)
  const around = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const group = likelyGroup(detected, [...around, ...names])
  const sources = group
    ? sourcesIn(group, await previewOf(api, { start, extract: probeOf(group) }), values)
    : new Map<string, Data>()
  const fields = values.flatMap((value) => {
    const source = sources.get(value.name)
    return source ? [[value.name, sourceFor(source, value)] as const] : []
  })
  const isGroup = group !== null && fields.length > 0
  const items = isGroup
    ? group.items
    : `:model(${`each item that has ${names.join(', ')}`.slice(0, 900)})`
  return {
    recipe: { start, extract: { items, fields: Object.fromEntries(fields) } },
    unused: {},
    missing: names.filter((name) => !sources.has(name)),
    ...(isGroup && { doubts: [`${group.reason} They are taken as the rows: check this.`] }),
  }
}

/** The preview of a recipe. */
export function previewOf(api: Api, recipe: Data): Promise<Data> {
  return api.ask({ method: 'POST', path: '/tasks/preview', body: { recipe } })
}
