import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

it('the clock wakes sleepers in order, each at its own time, and lets its effects end before the next', async () => {
  const clock = createFakeClock(1_000)
  const log: string[] = []
  const sleeper = async (name: string, ...steps: number[]): Promise<void> => {
    for (const step of steps) {
      await clock.sleep(step)
      await Promise.resolve().then(() => Promise.resolve())
      log.push(`${name}@${clock.now()}`)
    }
  }
  void sleeper('a', 30, 10)
  void sleeper('b', 10, 10, 50)
  void sleeper('c', 30)
  await clock.advance(45)
  expect(log).toEqual(['b@1010', 'b@1020', 'a@1030', 'c@1030', 'a@1040'])
  expect(clock.now()).toBe(1_045)
  expect(clock.sleeping).toBe(1)
  await clock.advance(100)
  expect(log.at(-1)).toBe('b@1070')
  expect(clock.now()).toBe(1_145)
})

it('the clock runs until a promise has settled, over sleeps of any length and real file work', async () => {
  const clock = createFakeClock()
  const start = clock.now()
  const work = async (): Promise<number> => {
    await clock.sleep(3_600_000)
    const text = await readFile(import.meta.filename, 'utf8')
    expect(clock.now() - start).toBe(3_600_000)
    await clock.sleep(1)
    return text.length
  }
  void clock.sleep(86_400_000)
  expect(await clock.runUntil(work())).toBeGreaterThan(100)
  expect(clock.now() - start).toBe(3_600_001)
  await expect(
    clock.runUntil(clock.sleep(5).then(() => Promise.reject(new Error('failed')))),
  ).rejects.toThrow('failed')
})

it('the clock throws if a promise can only hang', async () => {
  const clock = createFakeClock(0, 100)
  await expect(clock.runUntil(new Promise(() => undefined))).rejects.toThrow('Nothing sleeps')
})

it('a signal stops a sleep', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  const slept = clock.sleep(10, stop.signal)
  stop.abort(new Error('enough'))
  await expect(slept).rejects.toThrow('enough')
  await expect(clock.sleep(10, stop.signal)).rejects.toThrow('enough')
  expect(clock.sleeping).toBe(0)
})

it('the clock does not move while a module is loading', async () => {
  const clock = createFakeClock(0)
  const stop = new AbortController()
  const slept = clock.sleep(5_000, stop.signal).catch(() => undefined)
  const load = async (): Promise<number> => {
    // No other test of this file has loaded this module.
    await import('../../../src/features/webhooks/examples.ts')
    await import('../../../src/engine/export/xlsx/write-workbook.ts')
    await import('../../../src/engine/export/parquet/write-parquet.ts')
    return clock.now()
  }
  expect(await clock.runUntil(load())).toBe(0)
  stop.abort()
  await slept
})

it('the clock does not move while something is encrypted or signed', async () => {
  const clock = createFakeClock(0)
  const stop = new AbortController()
  const slept = clock.sleep(5_000, stop.signal).catch(() => undefined)
  const work = async (): Promise<number> => {
    for (let i = 0; i < 5; i++) {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', false, [
        'encrypt',
      ])
      await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv: new Uint8Array(12) },
        key,
        new Uint8Array(2_000_000),
      )
    }
    return clock.now()
  }
  expect(await clock.runUntil(work())).toBe(0)
  stop.abort()
  await slept
})
