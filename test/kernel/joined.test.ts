import { expect, test } from 'vitest'
import { joined } from '../../src/kernel/bytes.ts'
import { joinedInSlices, Pace, SliceScheduler } from '../../src/kernel/pace.ts'

test('parts are joined in slices, and the result is always a flat string', async () => {
  const parts = [
    new Uint8Array(3_000_000).fill(1),
    new Uint8Array(0),
    new Uint8Array(2_500_001).fill(2),
  ]
  let pauses = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void pauses++),
  })
  expect(
    Buffer.compare(await joinedInSlices(parts, 5_500_001, pace), joined(parts, 5_500_001)),
  ).toBe(0)
  // A piece has about a million bytes.
  expect(pauses).toBe(6)
  const [lone = new Uint8Array()] = parts
  const copy = await joinedInSlices([lone], lone.length)
  expect(copy.buffer).not.toBe(lone.buffer)
  expect(copy).toHaveLength(3_000_000)
})
