import { expect, test } from 'vitest'
import { RecentKeys } from '../../../src/features/keys/authenticator.ts'
import type { Stored } from '../../../src/records/collection.ts'
import type { ApiKeyRecord } from '../../../src/features/keys/records.ts'

function recordOf(id: string): Stored<ApiKeyRecord> {
  const value = {
    id,
    account: 'acme',
    name: '',
    scopes: [],
    digest: `digest of ${id}`,
    hint: '',
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  }
  return { value, version: '1', id: [id] }
}

test('the number of remembered records is bounded', () => {
  const recent = new RecentKeys()
  for (let i = 0; i <= 10_000; i++) recent.remember(`digest ${i}`, recordOf(`key_${i}`))
  expect(recent.recall('digest 0')).toBeNull()
  expect(recent.recall('digest 1')?.stored).toEqual(recordOf('key_1'))
  expect(recent.recall('digest 10000')?.stored).toEqual(recordOf('key_10000'))
  recent.forget('digest 1')
  expect(recent.recall('digest 1')).toBeNull()
})
