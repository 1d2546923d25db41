/** Examples of the caller's own facts, for the documentation. */
export const ME_EXAMPLES = {
  get: {
    data: {
      account: 'acme',
      user: 'acme',
      keyId: 'key_01K3A8X2B6D0F4H8K3M7P1R5T9',
      scopes: ['tasks:*', 'executions:*', 'billing:read'],
      plan: { id: 'starter', name: 'Starter' },
      credits: { spendable: 8_250 },
      abilities: { browser: true, model: false, search: true, payments: true },
      limits: {
        keys: { most: 1_000, used: 3, left: 997 },
        tasks: { most: 10_000, used: 41, left: 9_959 },
        datasets: { most: 1_000, used: 2, left: 998 },
        webhooks: { most: 20, used: 1, left: 19 },
        bytes: { most: 1_000_000_000_000, used: 52_428_800, left: 999_947_571_200 },
      },
    },
  },
}
