import { normaliseUrl } from '../../src/kernel/url.ts'
import type { NormalUrl } from '../../src/kernel/url.ts'

/** A URL of a test, which is normal as it is written. */
export function normalUrl(text: string): NormalUrl {
  const url = normaliseUrl(text)
  if (url !== text) throw new Error(`${text} is not normal: ${String(url)}`)
  return url
}
