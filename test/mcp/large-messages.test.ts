import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import { post } from './mcp-world.ts'

/** The turns of the event loop in which eight messages of this size reached their service. */
async function turnsOf(characters: number): Promise<number> {
  let now = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; now++) await turn()
  })()
  const turns: number[] = []
  const endpoint = createEndpoint({ hosts: ['localhost'] })
  const service = {
    list: async () => {
      turns.push(now)
      return { refusal: null, tools: [] }
    },
    call: () => Promise.reject(new Error('No tool is called')),
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', more: 'x'.repeat(characters) }
  await Promise.all(
    Array.from({ length: 8 }, () =>
      endpoint.reply(
        post(message, { authorization: 'Bearer some-key' }),
        () => service,
        () => 'http://localhost/mcp',
      ),
    ),
  )
  over.abort()
  await counting
  expect(turns.length).toBeGreaterThanOrEqual(8)
  return new Set(turns).size
}

it('large messages that come at the same time are parsed in different turns', async () => {
  expect(await turnsOf(500_000)).toBeGreaterThanOrEqual(8)
  expect(await turnsOf(1_000)).toBeLessThan(8)
})

it('credentials that each send one message do not hold up one that came before', async () => {
  const order: string[] = []
  const endpoint = createEndpoint({ hosts: ['localhost'] })
  const text = 'x'.repeat(270_000)
  const send = (key: string) => {
    const list = async () => {
      order.push(key)
      return { refusal: null, tools: [] }
    }
    const call = () => Promise.reject(new Error('No tool is called'))
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', more: text }
    return endpoint.reply(
      post(message, { authorization: `Bearer ${key}` }),
      () => ({ list, call }),
      () => 'http://localhost/mcp',
    )
  }
  await send('honest')
  const later = send('honest')
  await Promise.all([later, ...Array.from({ length: 100 }, (_, index) => send(`guess-${index}`))])
  expect(order.lastIndexOf('honest')).toBeLessThan(50)
})
