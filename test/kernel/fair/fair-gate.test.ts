import { describe, expect, it } from 'vitest'
import { FairGate } from '../../../src/kernel/fair/fair-gate.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Lets accounts enter a gate, and notes the order in which they enter. */
function at(gate: FairGate) {
  const order: string[] = []
  const leaves: (() => void)[] = []
  const refused: unknown[] = []
  return {
    order,
    leaves,
    refused,
    come(account: string, signal?: AbortSignal) {
      gate.enter(account, { signal }).then(
        (leave) => {
          order.push(account)
          leaves.push(leave)
        },
        (error: unknown) => refused.push(error),
      )
    },
    async next() {
      await settle()
      leaves.shift()?.()
      await settle()
    },
  }
}

describe('a fair gate', () => {
  it('lets accounts enter in turns, however many calls of one account came before', async () => {
    const gate = new FairGate({ name: 'looks', places: 1, each: 1, waiting: 100 })
    const door = at(gate)
    for (let i = 0; i < 50; i++) door.come('many')
    door.come('one')
    door.come('two')
    for (let i = 0; i < 4; i++) await door.next()
    expect(door.order.slice(0, 4)).toEqual(['many', 'one', 'two', 'many'])
  })

  it('lets accounts enter in turns if each of them may have more places', async () => {
    const gate = new FairGate({ name: 'looks', places: 3, each: 3, waiting: 100 })
    const door = at(gate)
    for (let i = 0; i < 10; i++) door.come('many')
    for (const account of ['one', 'two', 'one', 'two']) door.come(account)
    for (let i = 0; i < 6; i++) await door.next()
    expect(door.order).toEqual(['many', 'many', 'many', 'one', 'two', 'many', 'one', 'two', 'many'])
  })

  it('lets no call enter above a share that has become smaller', async () => {
    const gate = new FairGate({ name: 'looks', places: 2, each: 2, waiting: 100 })
    const leave = await gate.enter('other')
    await gate.enter('one', { each: 2 })
    let entered = 0
    const come = (each: number): void => void gate.enter('one', { each }).then(() => entered++)
    come(2)
    come(1)
    await settle()
    leave()
    await settle()
    expect([entered, gate.held]).toEqual([0, 1])
  })

  it('keeps places free for other accounts if one has its maximum', async () => {
    const gate = new FairGate({ name: 'looks', places: 4, each: 3, waiting: 100 })
    const door = at(gate)
    for (let i = 0; i < 10; i++) door.come('many')
    await settle()
    expect(door.order).toEqual(['many', 'many', 'many'])
    door.come('one')
    await settle()
    expect(door.order).toEqual(['many', 'many', 'many', 'one'])
  })

  it('refuses a call behind too many waiting calls of its own account, with advice', async () => {
    const gate = new FairGate({ name: 'looks', places: 1, each: 1, waiting: 2 })
    const door = at(gate)
    for (let i = 0; i < 5; i++) door.come('many')
    door.come('one')
    await settle()
    expect(door.refused).toHaveLength(2)
    expect(door.refused[0]).toMatchObject({
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      message:
        'The account already has 1 looks at the same time, which is its limit, and 2 more ' +
        'wait: wait until some of them have ended, and try again',
      headers: { 'Retry-After': '5' },
    })
  })

  it('drops calls that abort while they wait, and frees the place of a call that leaves twice once', async () => {
    const gate = new FairGate({ name: 'looks', places: 1, each: 1, waiting: 5 })
    const door = at(gate)
    const hangUp = new AbortController()
    door.come('a')
    door.come('b', hangUp.signal)
    door.come('c')
    door.come('d')
    await settle()
    hangUp.abort()
    await settle()
    const [first] = door.leaves
    first?.()
    first?.()
    await settle()
    expect([door.order, door.refused.length, gate.held]).toEqual([['a', 'c'], 1, 1])
    await expect(gate.enter('e', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
  })
})
