import { runRecipe } from './crawl-cases.ts'
import { equal, that } from './expect.ts'
import type { Case } from './stage.ts'

/** Credits, and whether all stored data agrees with itself. */
export const moneyCases: readonly Case[] = [
  {
    name: 'money: a run of three pages costs three credits, entry by entry',
    async run({ client, ...stage }) {
      const before = await client.billing.balance()
      const { id } = await runRecipe({ client, ...stage }, 'Money', {
        start: { urls: [`${stage.shop}/category/notebooks`] },
        follow: [{ next: 'a.next' }],
        extract: { items: '.product', fields: { name: 'h2' } },
      })
      const after = await client.billing.balance()
      equal(
        [
          before.credits.wallet - after.credits.wallet,
          after.credits.held,
          after.credits.revenue - before.credits.revenue,
        ],
        [3, 0, 3],
      )
      const sums: Record<string, number> = Object.fromEntries(
        Object.keys(after.credits).map((name) => [name, 0]),
      )
      let settled = 0
      for await (const entry of client.billing.iterateLedger({ limit: 100 })) {
        equal(
          Object.values(entry.moves).reduce((sum, amount) => sum + amount, 0),
          0,
          `the sum of ${entry.id}`,
        )
        for (const [name, amount] of Object.entries(entry.moves))
          sums[name] = (sums[name] ?? 0) + amount
        if (entry.executionId === id && entry.kind === 'settle')
          settled += entry.moves['revenue'] ?? 0
      }
      equal([sums, settled], [after.credits, 3])
    },
  },
  {
    name: 'money: verify works everything out anew and finds no difference',
    async run(stage) {
      const { ok, differences, checks } = await stage.verify()
      equal([ok, differences], [true, []])
      that(
        checks.every(({ checked }) => checked >= 0) &&
          checks.some(({ area, checked }) => area === 'ledger' && checked > 10),
        `something was checked: ${JSON.stringify(checks)}`,
      )
    },
  },
]
