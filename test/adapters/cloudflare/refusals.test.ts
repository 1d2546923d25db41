import { expect, it } from 'vitest'
import { Refusals } from '../../../adapters/cloudflare/refusals.ts'

const refused = { allowed: false, limit: 1, remaining: 0, resetAt: 10 }

it('the list of refusals drops the oldest above its bound, and those whose time is over', () => {
  const refusals = new Refusals()
  for (let id = 0; id < 10_000; id++) refusals.add(String(id), refused)
  refusals.add('0', refused)
  refusals.add('one more', refused)
  expect(['0', '1', '2', 'one more'].map((id) => refusals.find(id, 9))).toEqual([
    refused,
    null,
    refused,
    refused,
  ])
  expect(refusals.find('0', 10)).toBe(null)
  expect(refusals.find('0', 9)).toBe(null)
})
