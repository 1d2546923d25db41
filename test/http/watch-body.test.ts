import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchBody } from '../../src/http/read-request.ts'

/** What a logger was told, and one that keeps it. */
function listen() {
  const messages: string[] = []
  const tell = (message: string): void => void messages.push(message)
  return { told: messages, logger: { debug: tell, info: tell, warn: tell, error: tell } }
}

test('a reader that leaves while nothing comes is no failure', async () => {
  const { told, logger } = listen()
  let reason: unknown = null
  const silent = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) })
  const reader = watchBody(new Response(silent), 'req_1', logger).body?.getReader()
  const read = reader?.read()
  await turn() // until it is asked for
  await reader?.cancel('gone')
  await turn()
  expect([await read, reason, told]).toEqual([{ done: true, value: undefined }, 'gone', []])
})

test('a body that fails is told to the logger, and its reader hears the id alone', async () => {
  const { told, logger } = listen()
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('secret')),
  })
  await expect(watchBody(new Response(broken), 'req_1', logger).text()).rejects.toThrow(
    'The response ended early (request req_1)',
  )
  expect(told).toEqual(['A response ended early'])
})
