import { isObject } from '../../kernel/json.ts'
import { parseJson } from '../extract/page/parse-json.ts'

/** The page URLs of a JSON Feed (jsonfeed.org), as they are written; none of any other document. */
export function jsonFeedUrls(text: string): string[] {
  const document = parseJson(text)
  const items = isObject(document) && Array.isArray(document['items']) ? document['items'] : []
  return items.flatMap((item: unknown) => {
    if (!isObject(item)) return []
    const url = [item['url'], item['external_url']].find(
      (one) => typeof one === 'string' && one !== '',
    )
    return typeof url === 'string' ? [url] : []
  })
}
