import { expect, test } from 'vitest'
import { KeyShare } from '../../../src/features/verify/key-share.ts'

const KEYS = Array.from({ length: 10_000 }, (_, index) => `["series","quarter",${index * 900_000}]`)

test('halves of a share have each of its keys once, and are about as large', () => {
  let shares = [KeyShare.all()]
  for (let times = 0; times < 4; times++) shares = shares.flatMap((share) => share.halves() ?? [])
  const sizes = shares.map((share) => KEYS.filter((key) => share.has(key)).length)
  expect(sizes).toHaveLength(16)
  expect(KEYS.every((key) => shares.filter((share) => share.has(key)).length === 1)).toBe(true)
  expect(Math.min(...sizes)).toBeGreaterThan(450)
})

test('a share of one bit pattern cannot be halved for ever', () => {
  let share: KeyShare | undefined = KeyShare.all()
  let times = 0
  for (; share !== undefined && times < 100; times++) share = share.halves()?.[1]
  expect(times).toBe(32)
})
