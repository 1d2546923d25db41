import { expect, test } from 'vitest'
import { EventWriter } from '../../../src/kernel/http/event-writer.ts'

const decoder = new TextDecoder()

test('a stream whose reader leaves too much unread breaks off, and holds nothing more', async () => {
  let cancelled = 0
  const stream = new EventWriter(() => void cancelled++, 1_000)
  for (let i = 0; i < 3; i++) stream.send('message', { text: 'x'.repeat(450) })
  expect(cancelled).toBe(0)
  stream.beat()
  expect(cancelled).toBe(1)
  stream.send('message', {})
  expect(cancelled).toBe(1)
  await expect(stream.body.getReader().read()).rejects.toThrow('too many events unread')
})

test('a reader that keeps up gets every event, however many and large they are', async () => {
  const stream = new EventWriter(() => {
    throw new Error('It was cut off')
  }, 1_000)
  const reader = stream.body.getReader()
  for (let i = 0; i < 100; i++) {
    stream.send('message', { i, text: 'x'.repeat(5_000) })
    const { value } = await reader.read()
    expect(decoder.decode(value)).toContain(`"i":${i},`)
  }
})

test('a stream without a maximum keeps what its reader has left unread', async () => {
  const stream = new EventWriter(() => {})
  for (let i = 0; i < 100; i++) stream.send('message', { i, text: 'x'.repeat(50_000) })
  stream.close()
  let events = 0
  for await (const _ of stream.body) events++
  expect(events).toBe(100)
})
