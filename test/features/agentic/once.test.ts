import { expect, test } from 'vitest'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

test('a repeated call starts no second run, and gets the bytes of the first answer without a wait', async () => {
  const world = createWorld({
    'https://pens.example.com/':
      '<title>Pens</title><main><p>A page about pens that has some words in it.</p></main>',
  })
  const { secret } = await world.platform.api.keys.create(OWNER, {
    name: 'agent',
    scopes: ['mcp:*'],
  })
  const call = async (tool: string, args: object, key: string) => {
    const response = await world.platform.fetch(
      new Request('http://localhost/api/v1/mcp/agentic-executions', {
        method: 'POST',
        headers: {
          'x-api-key': secret,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ tool, arguments: args }),
      }),
    )
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed'),
      text: await response.text(),
    }
  }
  const began = world.clock.now()
  const first = await call('crawl', { url: 'https://pens.example.com/', waitSeconds: 30 }, 'k1')
  expect([first.status, first.replayed, world.clock.now() - began]).toEqual([201, null, 0])
  const { data } = JSON.parse(first.text)
  expect(data.result).toMatchObject({
    status: 'queued',
    done: false,
    next: expect.stringContaining('get_run'),
  })
  await world.work()
  expect(await call('crawl', { url: 'https://pens.example.com/', waitSeconds: 30 }, 'k1')).toEqual({
    status: 201,
    replayed: 'true',
    text: first.text,
  })
  expect(world.web.requests.get('https://pens.example.com/')).toBe(1)
  // A run that has ended is answered with its end, and repeated the same.
  const ended = await call('get_run', { runId: data.executionId }, 'k2')
  expect(JSON.parse(ended.text).data.result).toMatchObject({
    status: 'succeeded',
    rows: [{ title: 'Pens' }],
  })
  expect((await call('get_run', { runId: data.executionId }, 'k2')).text).toBe(ended.text)
})
