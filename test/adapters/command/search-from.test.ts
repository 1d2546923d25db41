import { expect, test } from 'vitest'
import { CommandError } from '../../../adapters/command/command-error.ts'
import { searchFrom } from '../../../adapters/command/search-from.ts'
import { createSearchServices } from '../../../src/engine/egress/host-services.ts'

const services = createSearchServices({
  egress: async () => Promise.reject(new Error('not asked')),
  allowPrivateNetwork: false,
  now: () => 0,
})
const nameOf = (
  url: string | undefined,
  env: Record<string, string> = {},
  onPrivateNetwork = false,
) => searchFrom({ url, env, onPrivateNetwork })?.create(services).name ?? null

test.each([
  [undefined, {}, null],
  [undefined, { SEINE_SEARCH_URL: '', SEINE_BRAVE_KEY: '' }, null],
  ['https://search.example.com', {}, 'SearXNG'],
  [undefined, { SEINE_SEARCH_URL: 'https://search.example.com' }, 'SearXNG'],
  [undefined, { SEINE_BRAVE_KEY: 'BSA-7731' }, 'Brave Search'],
])('%s and %j is %s', (url, env, name) => {
  expect(nameOf(url, env)).toBe(name)
})

test.each([
  ['nowhere', {}, /must be an http or https URL/],
  ['http://127.0.0.1:8888', {}, /add --search-on-private-network/],
  ['https://search.example.com', { SEINE_BRAVE_KEY: 'BSA-7731' }, /choose one/],
  [undefined, { SEINE_BRAVE_KEY: 'secret 7731' }, /is not a key/],
])('%s and %j is refused', (url, env, message) => {
  expect(() => nameOf(url, env)).toThrow(CommandError)
  expect(() => nameOf(url, env)).toThrow(message)
  expect(() => nameOf(url, env)).not.toThrow(/7731/)
})

test('an instance on the own machine takes a word of the operator', () => {
  expect(nameOf('http://127.0.0.1:8888', {}, true)).toBe('SearXNG')
})
