import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readBody } from '../../../src/http/read-request.ts'

/** The turns of the event loop in which bodies of this size were read that all came at once. */
async function turnsOf(characters: number): Promise<number> {
  let now = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; now++) await turn()
  })()
  const turns = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const body = JSON.stringify({ i, text: 'x'.repeat(characters) })
      const request = new Request('http://host.test/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(await readBody(request, 1_048_576)).toMatchObject({ value: { i } })
      return now
    }),
  )
  over.abort()
  await counting
  return new Set(turns).size
}

it('large bodies that come at the same time are parsed in different turns', async () => {
  expect(await turnsOf(500_000)).toBe(8)
  expect(await turnsOf(1_000)).toBeLessThan(8)
})

it('large bodies of an account do not hold up one of another account', async () => {
  const order: string[] = []
  const text = JSON.stringify({ text: 'x'.repeat(500_000) })
  const read = async (account: string): Promise<void> => {
    const request = new Request('http://host.test/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    await readBody(request, 1_048_576, account)
    order.push(account)
  }
  await Promise.all([...Array.from({ length: 6 }, () => 'busy'), 'calm'].map(read))
  expect(order.indexOf('calm')).toBeLessThan(3)
})
