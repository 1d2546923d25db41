import { expect, it } from 'vitest'
import { createDefaultDocumentReader } from '../../src/defaults/document-reader.ts'
import type { PdfReader } from '../../src/ports/document-reader.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

const here = new AbortController().signal
const never: PdfReader = () => new Promise(() => {})
const none: PdfReader = async () => Promise.reject(new Error('It was read'))

it('a PDF that takes too long is given up where no thread can be ended, and told to stop', async () => {
  const clock = createFakeClock()
  const began = clock.now()
  let stopped: unknown
  const read = createDefaultDocumentReader((body, signal) => {
    signal.addEventListener('abort', () => (stopped = signal.reason))
    return never(body, signal)
  }, clock)
  const outcome = read(new Uint8Array(10), 'pdf', here).catch((error: unknown) => error)
  expect(await clock.runUntil(outcome)).toMatchObject({
    name: 'DocumentFailure',
    reason: 'too_slow',
  })
  expect(clock.now() - began).toBe(15_000)
  expect(stopped).toMatchObject({ reason: 'too_slow' })
})

it('a PDF is left at once when its caller leaves', async () => {
  const read = createDefaultDocumentReader(never, createFakeClock())
  const leaving = new AbortController()
  const outcome = read(new Uint8Array(10), 'pdf', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(outcome).rejects.toThrow('gone')
})

it('a PDF above the size that the runtime can hold is not read', async () => {
  const read = createDefaultDocumentReader(none, createFakeClock())
  await expect(read(new Uint8Array(16 * 1_024 * 1_024 + 1), 'pdf', here)).rejects.toMatchObject({
    reason: 'too_large',
    message: expect.stringContaining('16777217 bytes'),
  })
})

it('an Office file is not read without threads', async () => {
  const read = createDefaultDocumentReader(none, createFakeClock())
  await expect(read(new Uint8Array(1), 'docx', here)).rejects.toMatchObject({
    reason: 'unavailable',
  })
})
