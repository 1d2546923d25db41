import { createPlatform, type PlatformOptions } from 'seine'

const checkout = async (id: string, credits: number): Promise<string> =>
  `https://pay.example/checkout?reference=${id}&amount=${credits}`

export const billing: PlatformOptions['billing'] = {
  plans: [
    {
      id: 'free',
      name: 'Free',
      creditsPerMonth: 1_000,
      concurrentExecutions: 2,
      dailyCap: 200,
      retentionDays: 30,
      rates: { tasks: { limit: 60, periodMs: 60_000, burst: 59 } },
    },
    {
      id: 'pro',
      name: 'Pro',
      creditsPerMonth: 50_000,
      creditsExpire: { months: 3 },
      overdraft: 5_000,
      price: { amount: 4_900, currency: 'EUR' },
    },
  ],
  prices: { fetched: 1, unchanged: 0 },
  lowBalance: 100,
}

export const platform = createPlatform({
  billing,
  payments: {
    createTopUp: async ({ id, credits }) => ({
      status: 'pending',
      url: await checkout(id, credits),
    }),
  },
})
