import type { Json, Row } from '../../kernel/json.ts'
import type { MediaTarget } from '../../ports/row-work.ts'
import type { MediaPath } from '../recipe/columns.ts'
import { mapMedia } from './map-media.ts'
import type { MediaValue } from './map-media.ts'
import { mediaName } from './media-types.ts'

/** Links to media items, by {@link keyOf}. */
type MediaUrls = ReadonlyMap<string, string>

/** Returns the distinct items that rows refer to. */
export function mediaTargets(rows: Iterable<Row>, paths: readonly MediaPath[]): MediaTarget[] {
  const targets = new Map<string, MediaTarget>()
  const note = (value: MediaValue): Json => {
    const target = targetOf(value)
    if (target) targets.set(keyOf(target), target)
    return value
  }
  for (const row of rows) mapMedia(row, paths, note)
  return [...targets.values()]
}

/** Adds links to a row's media values. With `flat`, the link replaces the value. */
export function linkMedia(
  row: Row,
  paths: readonly MediaPath[],
  urls: MediaUrls,
  flat: boolean,
): Row {
  return mapMedia(row, paths, (value) => linked(value, urls, flat))
}

/** Returns a link target as one text. */
export function keyOf({ sha256, name }: MediaTarget): string {
  return `${sha256}/${name}`
}

function linked(value: MediaValue, urls: MediaUrls, flat: boolean): Json {
  const target = targetOf(value)
  const url = target && urls.get(keyOf(target))
  if (flat) return url ?? null
  if (!url) return value
  const { id = null, ...facts } = value
  return { id, url, ...facts }
}

/** Returns `null` for a value whose bytes were not downloaded. */
function targetOf({ id, contentType, sourceUrl }: MediaValue): MediaTarget | null {
  if (typeof id !== 'string' || typeof contentType !== 'string') return null
  const sha256 = digestOf(id)
  return sha256 === null ? null : { sha256, name: mediaName(sourceUrl, contentType) }
}

const PREFIX = 'med_'

/** Returns the id of the media item with these bytes. */
export function mediaId(sha256: string): string {
  return PREFIX + sha256
}

/** Returns the digest in an id, or `null` for an invalid id. */
function digestOf(id: string): string | null {
  const sha256 = id.slice(PREFIX.length)
  return /^[\da-f]{64}$/.test(sha256) && id === mediaId(sha256) ? sha256 : null
}
