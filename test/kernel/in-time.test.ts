import { expect, it } from 'vitest'
import { inTime, untilLate } from '../../src/kernel/in-time.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

const late = new Error('late')
const left = new Error('the caller left')
const failure = () => late
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) =>
    signal.addEventListener('abort', () => resolve(`stopped: ${signal.reason.message}`)),
  )

it('work in time gives its result or its own error, and leaves no timer', async () => {
  const clock = createFakeClock()
  for (const timed of [inTime, untilLate]) {
    expect(await timed({ clock, ms: 10, failure }, async () => 'done')).toBe('done')
    const wrong = timed({ clock, ms: 10, failure }, () => Promise.reject(new Error('wrong')))
    await expect(wrong).rejects.toThrow('wrong')
  }
  const begun = clock.now()
  await clock.runUntil(Promise.resolve())
  expect(clock.now()).toBe(begun)
})

it('work that is late gets the failure as the reason of its signal', async () => {
  const clock = createFakeClock()
  const waited = clock.runUntil(untilLate({ clock, ms: 10, failure }, untilAborted))
  expect(await waited).toBe('stopped: late')
})

it('untilLate waits for work that goes on, and gives its result', async () => {
  const clock = createFakeClock()
  const slow = () => clock.sleep(50).then(() => 'done')
  const begun = clock.now()
  expect(await clock.runUntil(untilLate({ clock, ms: 10, failure }, slow))).toBe('done')
  expect(clock.now() - begun).toBe(50)
})

it('inTime does not wait for work that ignores its signal', async () => {
  const clock = createFakeClock()
  const never = () => new Promise<never>(() => {})
  await expect(clock.runUntil(inTime({ clock, ms: 10, failure }, never))).rejects.toBe(late)
  const caller = new AbortController()
  const answer = inTime({ clock, ms: 10, failure, signal: caller.signal }, never)
  caller.abort(left)
  await expect(answer).rejects.toBe(left)
})

it('inTime names the end of the time, not the error that it causes', async () => {
  const clock = createFakeClock()
  const breaks = async (signal: AbortSignal): Promise<string> => {
    await untilAborted(signal)
    throw new Error('the connection is closed')
  }
  await expect(clock.runUntil(inTime({ clock, ms: 10, failure }, breaks))).rejects.toBe(late)
})

it('inTime does not begin for a caller that has left', async () => {
  const clock = createFakeClock()
  let begun = false
  const signal = AbortSignal.abort(left)
  const answer = inTime({ clock, ms: 10, failure, signal }, async () => void (begun = true))
  await expect(answer).rejects.toBe(left)
  expect(begun).toBe(false)
})
