import * as v from 'valibot'

const address = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2_048),
  v.regex(/^https?:\/\/[^\s/]/i, 'must be an address that starts with http:// or https://'),
)

/** One start address. */
export function urlOf(description: string) {
  return v.pipe(address, v.description(description))
}

/** Addresses of pages of one kind. */
export function urlsOf(description: string) {
  return v.pipe(
    v.array(address),
    v.minLength(1),
    v.maxLength(1_000),
    v.description(
      `${description} An address may contain {1..20} or {a,b,c}, which stands for several addresses.`,
    ),
  )
}

/** A CSS selector that only some sites need. */
export function selectorOf(description: string) {
  return v.exactOptional(
    v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000), v.description(description)),
  )
}

/** Limit on the pages that a run fetches. */
export function pagesOf(usual: number, description: string) {
  return v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000), v.description(description)),
    usual,
  )
}
