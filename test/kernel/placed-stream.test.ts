import { expect, it } from 'vitest'
import { placedStream, SlowReaderError } from '../../src/kernel/placed-stream.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

const KIB = 1_024
const limits = { patienceMs: 60_000, bytesPerSecond: 8 * KIB }

/** A stream of pieces of 64 KiB, and whether its place is free again. */
function opened(pieces = Infinity, makingMs = 0) {
  const clock = createFakeClock()
  const seen = { left: 0, cancelled: 0, made: 0 }
  const body = placedStream({
    clock,
    limits,
    async next() {
      if (makingMs > 0) await clock.sleep(makingMs)
      return seen.made++ < pieces ? { bytes: new Uint8Array(64 * KIB) } : null
    },
    leave: () => void seen.left++,
    cancel: () => void seen.cancelled++,
  })
  return { clock, seen, reader: body.getReader() }
}

it('a reader that reads nothing loses its place after a minute', async () => {
  const { clock, seen, reader } = opened()
  await reader.read()
  await clock.advance(60_000)
  // The piece that it got gives it some more seconds.
  expect(seen.left).toBe(0)
  await clock.advance(8_000)
  expect(seen).toEqual({ left: 1, cancelled: 1, made: 1 })
  await expect(reader.read()).rejects.toThrow(SlowReaderError)
  await expect(reader.closed).rejects.toThrow('less than 8192 bytes a second for 60 s')
  expect(clock.sleeping).toBe(0)
})

it('a reader that never asks for a piece loses its place as well', async () => {
  const { clock, seen } = opened()
  await clock.advance(60_000)
  expect(seen).toEqual({ left: 1, cancelled: 1, made: 0 })
})

it.each([
  // The seconds for each piece of 64 KiB, and the largest number of pieces before it is cut off.
  [60, 2],
  [20, 6],
  [9, 61],
  [8, null],
  [1, null],
])('a reader that reads a piece every %i s is cut off after %s', async (seconds, most) => {
  const { clock, seen, reader } = opened()
  let reads = 0
  for (; reads < 200 && seen.left === 0; reads++) {
    await reader.read().catch(() => {})
    await clock.advance(seconds * 1_000)
  }
  expect(seen.left).toBe(most === null ? 0 : 1)
  if (most !== null) expect(reads).toBeLessThanOrEqual(most)
  await reader.cancel().catch(() => {})
})

it('a reader that was quick for a long time gets no more time than another one', async () => {
  const { clock, seen, reader } = opened()
  for (let reads = 0; reads < 1_000; reads++) await reader.read()
  await clock.advance(68_000)
  expect(seen.left).toBe(1)
})

it('the time to make a piece does not count for the reader', async () => {
  const { clock, seen, reader } = opened(20, 120_000)
  const read = async () => {
    for (let part = await reader.read(); !part.done;) part = await reader.read()
  }
  await clock.runUntil(read())
  expect(seen).toEqual({ left: 1, cancelled: 0, made: 21 })
  expect(clock.sleeping).toBe(0)
})

it('a place is freed once, however the stream ends', async () => {
  const ended = opened(1)
  await ended.reader.read()
  expect((await ended.reader.read()).done).toBe(true)
  await ended.clock.advance(600_000)
  expect(ended.seen.left).toBe(1)
  const cancelled = opened()
  await cancelled.reader.read()
  await cancelled.reader.cancel()
  await cancelled.clock.advance(600_000)
  expect(cancelled.seen).toMatchObject({ left: 1, cancelled: 1 })
})
