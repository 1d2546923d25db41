import fc from 'fast-check'

// Units of `fc.string` and of URLs that cost nothing until they are drawn. fast-check's `binary`,
// of which its own URLs are made, first lists all characters of Unicode: seconds in each thread.

/** Any character of Unicode, as the unit of `fc.string`. */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10_ffff - 0x800)
  .map((value) => String.fromCodePoint(value < 0xd800 ? value : value + 0x800))

const URL_UNIT = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(..."abcXYZ019-._~!$&'()*+,;=:@") },
  { weight: 1, arbitrary: codePoint.map(encodeURIComponent) },
)
const anyPart = fc.string({ unit: URL_UNIT })

/** A path of a URL, or an empty text. */
export const anyPath: fc.Arbitrary<string> = fc
  .array(anyPart)
  .map((segments) => segments.map((segment) => `/${segment}`).join(''))

/** A URL of HTTP with a domain, any path, and often a query and a fragment. */
export const anyUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    anyPath,
    fc.option(anyPart, { nil: null }),
    fc.option(anyPart, { nil: null }),
  )
  .map(
    ([scheme, host, path, query, fragment]) =>
      `${scheme}://${host}${path}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`,
  )
