import { expect, it } from 'vitest'
import { IV_LENGTH, openText, sealText } from '../../src/kernel/crypto.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

const random = seededRandom()
const key = Uint8Array.from(random(32))

it('a sealed text can be opened only with its key and for its purpose', async () => {
  const sealed = await sealText(key, random(IV_LENGTH), 'acme', 'grüße 🐟')
  expect(sealed).toMatch(/^[\w-]+$/)
  expect(await openText(key, 'acme', sealed)).toBe('grüße 🐟')
  await expect(openText(key, 'globex', sealed)).rejects.toBeInstanceOf(Error)
  await expect(openText(Uint8Array.from(random(32)), 'acme', sealed)).rejects.toBeInstanceOf(Error)
  await expect(openText(key, 'acme', `${sealed.slice(0, -2)}AA`)).rejects.toBeInstanceOf(Error)
  await expect(openText(key, 'acme', 'no base64!')).rejects.toThrow('damaged')
  await expect(openText(key, 'acme', '')).rejects.toBeInstanceOf(Error)
  expect(await sealText(key, random(IV_LENGTH), 'acme', 'grüße 🐟')).not.toBe(sealed)
})
