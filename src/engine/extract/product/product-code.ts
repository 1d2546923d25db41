import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'

/** A code in an address: letters and digits with at least four digits in a row. */
const CODE = /[A-Za-z]{0,4}[_-]?\d{4,20}[A-Za-z]{0,3}/g
/** Minimum number of occurrences in the page for a code to be the product's. */
const OFTEN = 3
const MOST_CODES = 10
/** Characters that are searched in one part. */
const SEARCHED = 1_000_000

/**
 * Returns the number of the product in the page's address: the last one in the path that the page
 * repeats. `null`: there is no such code.
 */
export function* codeParts(page: PageContent): Parts<readonly [string, string] | null> {
  const url = URL.parse(page.url)
  if (url === null) return null
  const path = safely(url.pathname)
  const inQuery = [...url.searchParams]
    .filter(([name]) =>
      /^(?:sku|id|pid|product_?id|item_?id|variation_?id|article|offer_?id)$/i.test(name),
    )
    .map(([, value]) => value)
  const codes = [...codesIn(path).toReversed(), ...inQuery.flatMap(codesIn)].slice(0, MOST_CODES)
  for (const code of new Set(codes)) {
    page.budget.work(page.source.length >> 2)
    yield
    if (yield* isRepeated(page.text, code)) return [code, 'address']
  }
  return null
}

function codesIn(text: string): string[] {
  return (text.match(CODE) ?? []).map((code) => code.replace(/^[A-Za-z]*[_-]/, ''))
}

function* isRepeated(text: string, code: string): Parts<boolean> {
  let count = 0
  let from = 0
  for (let start = 0; start < text.length; start += SEARCHED) {
    yield
    const piece = text.slice(start, start + SEARCHED + code.length - 1)
    for (let index = piece.indexOf(code, Math.max(0, from - start)); index !== -1;) {
      if (++count === OFTEN) return true
      from = start + index + code.length
      index = piece.indexOf(code, from - start)
    }
  }
  return false
}

function safely(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
