import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf } from '../../src/http/address.ts'
import { anyUrl } from '../support/any-text.ts'

test.for<readonly [url: string, path: string, search: string]>([
  ['http://host.example/a/b?c=d', '/a/b', '?c=d'],
  ['https://host.example:81/', '/', ''],
  ['http://host.example/a#b?c', '/a', ''],
  ['http://host.example/a?b#c', '/a', '?b'],
  ['http://[::1]:8/a??b/c', '/a', '??b/c'],
  ['data:text/plain,x', 'text/plain,x', ''],
])('the address %s has the path %s and the query %s', ([url, path, search]) => {
  expect(addressOf(url)).toEqual({ path, search })
})

test('path and query equal those of the URL parser for any URL that it has written', () => {
  fc.assert(
    fc.property(anyUrl, fc.string(), (url, more) => {
      const parsed = URL.parse(`${url}${more}`)
      fc.pre(parsed !== null)
      const { href, pathname, search } = parsed
      const address = addressOf(href)
      expect(address.path).toBe(pathname)
      // A `?` at the end is not a query for the URL parser, and an empty query here.
      expect(address.search === '?' ? '' : address.search).toBe(search)
    }),
  )
})
