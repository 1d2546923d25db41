import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { platformSecret } from '../../src/records/platform-secret.ts'
import { createRecords } from '../../src/features/records.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

it('a secret is made once, whoever asks first, and differs by name', async () => {
  const records = createRecords(createMemoryStore())
  const secrets = await Promise.all(
    Array.from({ length: 20 }, (_, i) => platformSecret(records, seededRandom(i), 'cursor')),
  )
  expect(new Set(secrets.map(String)).size).toBe(1)
  expect(secrets[0]).toHaveLength(32)
  expect(await platformSecret(records, seededRandom(99), 'cursor')).toEqual(secrets[0])
  expect(await platformSecret(records, seededRandom(99), 'other')).not.toEqual(secrets[0])
})
