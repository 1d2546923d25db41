import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'

/** Room that a reference takes besides the URL. */
const MEDIA_BYTES = 32
/** A longer `data:` URL is not worth its place in a row. */
const MAX_DATA_URL = 8 * 1024 * 1024

/**
 * What a media field gives before its bytes are taken: where they are. A worker puts what it took
 * in its place; without one, as in a preview, this is the value. `null` for what is neither http(s)
 * nor `data:`.
 */
export function mediaReference(address: string, page: PageContent): Json {
  const written = address.trim()
  if (written === '') return null
  const isData = /^data:/i.test(written)
  if (isData && written.length > MAX_DATA_URL)
    page.budget.cut('characters of a data: URL', MAX_DATA_URL)
  const sourceUrl = isData
    ? written.length > MAX_DATA_URL
      ? null
      : written
    : page.resolve(written)
  if (sourceUrl === null) return null
  page.budget.make(MEDIA_BYTES + sourceUrl.length)
  return { sourceUrl }
}

/**
 * The address in a JSON value: a text, schema.org's `url` or `contentUrl` of an object, or the
 * first of a list that has one.
 */
export function mediaOfJson(value: Json, page: PageContent): Json {
  if (typeof value === 'string') return mediaReference(value, page)
  if (typeof value !== 'object' || value === null) return null
  const inside = isList(value) ? value : [value['contentUrl'], value['url'], value['@id']]
  for (const one of inside) {
    const found =
      one === undefined || (!isList(value) && typeof one === 'object')
        ? null
        : mediaOfJson(one, page)
    if (found !== null) return found
  }
  return null
}
