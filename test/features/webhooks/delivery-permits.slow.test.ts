import { describe, expect, it } from 'vitest'
import { DeliveryPermits } from '../../../src/features/webhooks/delivery-permits.ts'
import type { DeliveryPermit } from '../../../src/features/webhooks/delivery-permits.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { RECEIVER, createWebhookWorld } from '../../support/worlds/webhook-world.ts'

function open() {
  const clock = createFakeClock(0)
  const permits = new DeliveryPermits(clock)
  const enter = async (webhook = 'a'): Promise<DeliveryPermit> => {
    const turn = await permits.enter(webhook)
    return 'leave' in turn ? turn : expect.fail('no turn')
  }
  return { clock, permits, enter }
}

describe('deliveries to one webhook', () => {
  it('are four at a time, whatever others have, and the next one begins when one ends', async () => {
    const { clock, permits, enter } = open()
    const turns = [await enter(), await enter(), await enter(), await enter()]
    await enter('b')
    const order: string[] = []
    const waiting = ['x', 'y', 'z'].map((name) =>
      permits
        .enter('a')
        .then((turn) =>
          order.push(`${name} ${'leave' in turn ? 'begins' : turn.comeBackAt} at ${clock.now()}`),
        ),
    )
    await clock.advance(300)
    turns[0]?.leave()
    await clock.advance(300)
    turns[1]?.leave()
    await clock.advance(1_000)
    expect(order).toEqual(['x begins at 300', 'y begins at 600', 'z 1500 at 1000'])
    await Promise.all(waiting)
  })

  it('to a slow receiver are tried at its pace, and after at most a minute', async () => {
    const { clock, permits, enter } = open()
    const turns = [await enter(), await enter(), await enter(), await enter()]
    await clock.advance(8_000)
    turns[0]?.leave()
    await enter()
    const waits: number[] = []
    for (let i = 0; i < 60; i++) {
      const turn = await permits.enter('a')
      waits.push('comeBackAt' in turn ? turn.comeBackAt - 8_000 : -1)
    }
    expect(waits.slice(0, 4)).toEqual([500, 2_500, 4_500, 6_500])
    expect(Math.max(...waits)).toBe(60_000)
    expect(clock.now()).toBe(8_000)
  })

  it('are never more than four at a time, however they come and go', async () => {
    const { clock, permits } = open()
    let [now, most, done] = [0, 0, 0]
    const run = async (i: number): Promise<void> => {
      await clock.sleep((i * 37) % 400)
      for (;;) {
        const turn = await permits.enter('a')
        if ('comeBackAt' in turn) {
          await clock.sleep(turn.comeBackAt - clock.now())
          continue
        }
        most = Math.max(most, ++now)
        await clock.sleep((i * 61) % 900)
        now--
        done++
        return turn.leave()
      }
    }
    await clock.runUntil(Promise.all(Array.from({ length: 60 }, (_, i) => run(i))))
    expect([most, done, clock.sleeping]).toEqual([4, 60, 0])
  })
})

it('deliveries to a slow receiver delay no other receiver', async () => {
  const world = createWebhookWorld({
    answer: async ({ url }) => {
      if (url.endsWith('/slow')) await world.clock.sleep(14_000)
      return { status: 200 }
    },
  })
  await world.add({ url: `${RECEIVER}/slow` })
  const quick = await world.add()
  const start = world.clock.now()
  for (let i = 0; i < 100; i++) await world.emit({ id: `evt_${i}` })
  await world.clock.runUntil(world.platform.worker.tick({ budgetMs: 10_000 }))
  const delivered = world.got.filter(({ url }) => url === RECEIVER)
  expect(delivered.length).toBe(100)
  expect(Math.max(...delivered.map(({ at }) => at - start))).toBeLessThan(10_000)
  expect((await world.deliveries(quick.id)).every(({ status }) => status === 'succeeded')).toBe(
    true,
  )
})

it('all due deliveries to a quick receiver are made in one round', async () => {
  const world = createWebhookWorld({
    answer: async () => {
      await world.clock.sleep(20)
      return { status: 200 }
    },
  })
  await world.add()
  for (let i = 0; i < 100; i++) await world.emit({ id: `evt_${i}` })
  await world.work()
  expect(world.got.length).toBe(100)
})
