import { expect, test } from 'vitest'
import { PlatformError } from '../../src/kernel/errors.ts'
import { retryConflicts, retryFailures, retryOrBusy } from '../../src/records/retry.ts'

/** Work that returns these values in turn, and throws those that are errors. */
function scripted<T>(...steps: readonly (T | Error)[]): {
  readonly work: () => Promise<T>
  readonly calls: () => number
} {
  let calls = 0
  return {
    calls: () => calls,
    async work() {
      const step = steps[Math.min(calls++, steps.length - 1)]
      if (step === undefined) throw new Error('There is no step')
      if (step instanceof Error) throw step
      return step
    },
  }
}

test('an attempt that conflicts is repeated, and one that throws is not', async () => {
  const conflicting = scripted<string | null | false>(null, false, 'done', 'again')
  expect(await retryConflicts(conflicting.work)).toBe('done')
  expect(conflicting.calls()).toBe(3)
  const throwing = scripted<string | null>(null, new Error('The store is away'))
  await expect(retryConflicts(throwing.work)).rejects.toThrow('The store is away')
  expect(throwing.calls()).toBe(2)
})

test('after the last attempt the result is null, and for a caller a 409 with Retry-After', async () => {
  const conflicting = scripted<string | null>(null)
  expect(await retryConflicts(conflicting.work, 7)).toBe(null)
  expect(conflicting.calls()).toBe(7)
  const error = await retryOrBusy('The task', conflicting.work).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(PlatformError)
  expect(error).toMatchObject({
    code: 'CONFLICT',
    message: 'The task is being changed by others; try again',
    headers: { 'Retry-After': '1' },
  })
  expect(conflicting.calls()).toBe(27)
})

test('work that throws is called again after a longer pause each time, a bounded number of times', async () => {
  const pauses: number[] = []
  const clock = { sleep: async (ms: number) => void pauses.push(ms) }
  const passing = scripted<string>(new Error('1'), new Error('2'), 'done')
  expect(await retryFailures(clock, passing.work)).toBe('done')
  expect(pauses.splice(0)).toEqual([200, 400])
  const failing = scripted<string>(new Error('1'), new Error('2'), new Error('3'))
  await expect(retryFailures(clock, failing.work)).rejects.toThrow('3')
  expect([failing.calls(), pauses]).toEqual([3, [200, 400]])
})
