import { expect, test } from 'vitest'
import { CommandError } from '../../../adapters/command/command-error.ts'
import { searchFrom } from '../../../adapters/command/search-from.ts'
import { createSearchServices } from '../../../src/engine/egress/host-services.ts'

const services = createSearchServices({
  egress: async () => Promise.reject(new Error('not asked')),
  allowPrivateNetwork: false,
  now: () => 0,
})
const nameOf = (url?: string, braveKey?: string, onPrivateNetwork = false) =>
  searchFrom({ url, braveKey, onPrivateNetwork })?.create(services).name ?? null

test.each([
  [undefined, undefined, null],
  ['', '', null],
  ['https://search.example.com', undefined, 'SearXNG'],
  [undefined, 'BSA-7731', 'Brave Search'],
])('the URL %s and the key %s choose %s', (url, key, name) => {
  expect(nameOf(url, key)).toBe(name)
})

test.each([
  ['nowhere', undefined, /must be an http or https URL/],
  ['http://127.0.0.1:8888', undefined, /add --search-on-private-network/],
  ['https://search.example.com', 'BSA-7731', /choose one/],
  [undefined, 'secret 7731', /is not a key/],
])('the URL %s and the key %s are refused', (url, key, message) => {
  expect(() => nameOf(url, key)).toThrow(CommandError)
  expect(() => nameOf(url, key)).toThrow(message)
  expect(() => nameOf(url, key)).not.toThrow(/7731/)
})

test('an instance on the same machine is accepted only if the operator allows it', () => {
  expect(nameOf('http://127.0.0.1:8888', undefined, true)).toBe('SearXNG')
})
