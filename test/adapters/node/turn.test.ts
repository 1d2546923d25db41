import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toNodeHandler } from '../../../adapters/node/index.ts'

test('requests of one turn of the event loop are answered side by side', async () => {
  const steps: string[] = []
  const handler = toNodeHandler(
    Object.assign(async () => new Response(), {
      async reply({ url }: { readonly url: string }) {
        steps.push(`begins ${url.at(-1)}`)
        await Promise.resolve()
        steps.push(`ends ${url.at(-1)}`)
        return { status: 200, headers: {}, body: 'ok' }
      },
    }),
  )
  for (const name of ['a', 'b']) {
    const req = new IncomingMessage(new Socket())
    Object.assign(req, { method: 'GET', url: `/${name}`, rawHeaders: ['Host', 'host.example'] })
    handler(req, new ServerResponse(req))
    // As after each callback of the event loop.
    for (let task = 0; task < 20; task++) await Promise.resolve()
  }
  expect(steps).toEqual([])
  await turn()
  expect(steps).toEqual(['begins a', 'begins b', 'ends a', 'ends b'])
})
