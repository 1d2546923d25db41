import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Logger } from '../../../src/ports/logger.ts'

/** A body whose sender leaves in the middle of it. */
function cutOff(): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(new Error('aborted'))
      isSent = true
      controller.enqueue(new TextEncoder().encode('{"name":'))
    },
  })
}

test.each(['/api/v1/tasks', '/mcp'])(
  'a body that breaks off is not logged as an internal error: %s',
  async (path) => {
    const logged: string[] = []
    const log = (message: string): void => void logged.push(message)
    const logger: Logger = { debug() {}, info() {}, warn() {}, error: log }
    const platform = createPlatform({ logger })
    const { secret: key } = await platform.api.keys.create(
      { account: 'acme', user: 'ann', scopes: ['*'] },
      { name: 'first', scopes: ['*'] },
    )
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: cutOff(),
      duplex: 'half',
    }
    const response = await platform.fetch(new Request(`http://localhost${path}`, init))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('broke off')
    expect(logged).toEqual([])
    await platform.close()
  },
)
