import { expect, it } from 'vitest'
import { nextTurn } from '../../../src/kernel/pace.ts'
import { TurnPort } from '../../../src/engine/pdf/turn-port.ts'

it('a listener that throws keeps nothing from the others, nor later messages from itself', async () => {
  const port = new TurnPort()
  const messages: unknown[] = []
  port.addEventListener('message', ({ data }) => {
    if (data === 1) throw new Error('broken')
    messages.push(data)
  })
  port.addEventListener('message', ({ data }) => void messages.push(`other ${String(data)}`))
  port.postMessage(1)
  await expect(port.failed).rejects.toThrow('broken')
  port.postMessage(2)
  await nextTurn()
  await nextTurn()
  expect(messages).toEqual(['other 1', 2, 'other 2'])
})
