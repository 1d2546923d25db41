import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchBody } from '../../src/http/read-request.ts'

/** A logger, with all messages that it got. */
function listen() {
  const messages: string[] = []
  const tell = (message: string): void => void messages.push(message)
  return { told: messages, logger: { debug: tell, info: tell, warn: tell, error: tell } }
}

test('a reader that leaves while the body is silent is not logged as a failure', async () => {
  const { told, logger } = listen()
  let reason: unknown = null
  const silent = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) })
  const reader = watchBody(new Response(silent), 'req_1', logger).body?.getReader()
  const read = reader?.read()
  await turn() // Until it is asked for.
  await reader?.cancel('gone')
  await turn()
  expect([await read, reason, told]).toEqual([{ done: true, value: undefined }, 'gone', []])
})

test('a failure of a body is logged, and its reader sees only the request id', async () => {
  const { told, logger } = listen()
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('secret')),
  })
  await expect(watchBody(new Response(broken), 'req_1', logger).text()).rejects.toThrow(
    'The response ended early (request req_1)',
  )
  expect(told).toEqual(['A response ended early'])
})
