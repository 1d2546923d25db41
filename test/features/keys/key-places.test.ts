import { expect, test } from 'vitest'
import { KeyPlaces } from '../../../src/features/keys/key-places.ts'

test('remembers so many places and no more', () => {
  const places = new KeyPlaces()
  for (let i = 0; i <= 10_000; i++) places.remember(`digest ${i}`, { account: 'acme', id: `key_${i}` })
  expect(places.recall('digest 0')).toBeNull()
  expect(places.recall('digest 1')).toEqual({ account: 'acme', id: 'key_1' })
  expect(places.recall('digest 10000')).toEqual({ account: 'acme', id: 'key_10000' })
  places.forget('digest 1')
  expect(places.recall('digest 1')).toBeNull()
})
