import { equal, rejected, that } from './expect.ts'
import type { Case } from './stage.ts'

const RECIPE = { follow: [{ next: 'a.next', maxPages: 100 }], extract: { fields: { title: 'h1' } } }

/** Cases that stop running work. */
export const cancelCases: readonly Case[] = [
  {
    name: 'cancel: an execution that runs is stopped within a page, charged for what it did, and told so on its stream',
    async run({ client, slow }) {
      const task = await client.tasks.create({
        name: 'Endless',
        recipe: { start: { urls: [`${slow}/cancelled/0`] }, ...RECIPE },
      })
      const { id } = await client.executions.start(task.id)
      const pages: string[] = []
      let cancelledAfter = 0
      for await (const { event, data } of client.executions.events(id, { lastEventId: '0' })) {
        if (event === 'page') pages.push(data.url)
        if (event === 'page' && pages.length === 2) {
          cancelledAfter = pages.length
          equal((await client.executions.cancel(id)).status, 'cancelled')
        }
        if (event === 'end') equal(data.status, 'cancelled')
      }
      const { status, counters, cost } = await client.executions.get(id)
      equal(status, 'cancelled')
      that(
        cancelledAfter === 2 && counters.fetched >= 2 && counters.fetched <= 4,
        `it stopped: ${JSON.stringify(counters)}`,
      )
      equal(cost.credits, counters.fetched)
      equal((await client.billing.balance()).credits.held, 0)
      const again = await rejected(client.executions.resume(id), 'Resuming a cancelled execution')
      equal('code' in again ? again.code : again.message, 'CONFLICT')
    },
  },
  {
    name: 'cancel: a paused execution goes on where it was',
    async run({ client, slow }) {
      const task = await client.tasks.create({
        name: 'Paused',
        recipe: { start: { urls: [`${slow}/paused/0`] }, ...RECIPE, budget: { pages: 6 } },
      })
      const { id } = await client.executions.start(task.id)
      const seen = new Set<string>()
      let paused = false
      for await (const { event, data } of client.executions.events(id, { lastEventId: '0' })) {
        if (event === 'page') {
          that(!seen.has(data.url), `${data.url} is told twice`)
          seen.add(data.url)
          if (!paused) {
            paused = true
            await client.executions.pause(id)
            equal((await client.executions.get(id)).status, 'paused')
            await client.executions.resume(id)
          }
        }
      }
      const { counters, status } = await client.executions.get(id)
      equal([status, counters.fetched], ['succeeded', 6])
    },
  },
]
