const period = '2030-01'
const executionId = 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V'
const taskId = 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX'
const credits = { wallet: 860, held: 0, revenue: 140, grants: -1_000, expired: 0 }
const nothing = { wallet: 0, held: 0, revenue: 0, grants: 0, expired: 0 }

const entry = {
  id: 'le_01K3AB8D2F6H0K4N7Q1T5W9Y3C',
  period,
  at: '2030-01-31T12:05:09.000Z',
  kind: 'settle',
  cause: `${executionId}:0`,
  moves: { held: -2, revenue: 2 },
  executionId,
  taskId,
  pages: [
    { seq: 0, outcome: 'fetched', credits: 1 },
    { seq: 1, outcome: 'fetched', credits: 1 },
  ],
  note: null,
}
const grant = {
  id: 'le_01K3A0B8D2F6H0K4N7Q1T5W9Y3',
  period,
  at: '2030-01-01T00:00:00.000Z',
  kind: 'grant',
  cause: `plan:${period}`,
  moves: { grants: -1_000, wallet: 1_000 },
  executionId: null,
  taskId: null,
  pages: [],
  note: 'Credits of the plan Starter',
}
const plan = {
  id: 'starter',
  name: 'Starter',
  description: 'For a shop or two.',
  creditsPerMonth: 1_000,
  creditsExpire: 'month-end',
  overdraft: 0,
  dailyCap: null,
  concurrentExecutions: 2,
  retentionDays: 30,
  rates: { tasks: { limit: 120, periodMs: 60_000, burst: 120 } },
  previews: { perDay: 100, perScope: 20, urls: 5 },
  caps: {
    keys: 1_000,
    tasks: 10_000,
    datasets: 1_000,
    webhooks: 20,
    streams: 100,
    bytes: 1_099_511_627_776,
  },
  page: { steps: 60_000_000, bytes: 33_554_432 },
  price: null,
  access: 'self-service',
}
const subscription = { plan, dailyCap: 200, since: '2030-01-01T00:00:00.000Z' }
const statement = {
  id: period,
  status: 'closed',
  from: '2030-01-01T00:00:00.000Z',
  to: '2030-02-01T00:00:00.000Z',
  plan: plan.id,
  opening: nothing,
  closing: credits,
  entries: 4,
  totals: [
    { kind: 'grant', entries: 1, wallet: 1_000 },
    { kind: 'reserve', entries: 1, wallet: -500 },
    { kind: 'settle', entries: 1, wallet: 0 },
    { kind: 'release', entries: 1, wallet: 360 },
  ],
}
const topUp = {
  id: 'top_01K3AD1F5H9K3N7Q1T5W9Y3C7E',
  credits: 5_000,
  status: 'pending',
  url: 'https://pay.example.com/checkout/8f2',
  returnUrl: 'https://app.example.com/credits',
  reason: null,
  createdAt: '2030-01-31T12:00:00.000Z',
  completedAt: null,
}

const used = { credits: 140, pages: 144, bytes: 9_216_000 }

/** Examples of billing, for the documentation. */
export const BILLING_EXAMPLES = {
  balance: {
    data: {
      credits,
      spendable: 860,
      floor: 0,
      plan: { id: plan.id, name: plan.name },
      period,
      lots: [{ id: `plan:${period}`, credits: 860, expiresAt: '2030-02-01T00:00:00.000Z' }],
      dailyCap: { credits: 200, day: '2030-01-31', taken: 140 },
    },
  },
  ledger: { query: { period, kind: 'settle' }, data: { items: [entry], nextCursor: null } },
  activity: {
    query: { limit: '20' },
    data: {
      items: [
        {
          id: 'le_01K3AB1C5D9F3H7K2M6P8R0T4V',
          at: '2030-01-31T12:00:00.000Z',
          type: 'execution',
          text: 'Shop prices: spent 140 credits on 140 pages',
          credits: -140,
          executionId,
          taskId,
          execution: {
            status: 'finished',
            reserved: 500,
            spent: 140,
            pages: 140,
            endedAt: '2030-01-31T12:06:40.000Z',
          },
        },
      ],
      nextCursor: null,
    },
  },
  callers: {
    query: { period, by: 'key' },
    data: {
      period,
      by: 'key',
      ...used,
      callers: [
        {
          id: 'key_01K3A8X2B6D0F4H8K3M7P1R5T9',
          name: 'nightly',
          ...used,
          byDay: [{ day: '2030-01-31', ...used }],
        },
      ],
      others: null,
    },
  },
  usage: {
    query: { period },
    data: {
      period,
      spent: 140,
      refunded: 0,
      byKind: [
        { kind: 'grant', entries: 1, wallet: 1_000 },
        { kind: 'settle', entries: 1, wallet: 0 },
      ],
      byOutcome: [{ outcome: 'fetched', pages: 140, credits: 140 }],
      byDay: [{ day: '2030-01-31', spent: 140, refunded: 0 }],
      byTask: [{ taskId, name: 'Shop prices', spent: 140, refunded: 0 }],
    },
  },
  plans: { data: { plans: [plan], current: plan.id, prices: { fetched: 1 }, topUps: true } },
  subscription: { data: subscription },
  subscribe: { body: { plan: plan.id, dailyCap: 200 }, data: subscription },
  statements: { query: { limit: '20' }, data: { items: [statement], nextCursor: null } },
  statement: {
    params: { id: period },
    query: { format: 'json' },
    data: { ...statement, lines: { items: [grant, entry], nextCursor: null } },
  },
  topUp: { body: { credits: topUp.credits, returnUrl: topUp.returnUrl }, data: topUp },
  topUps: { query: { limit: '20' }, data: { items: [topUp], nextCursor: null } },
  getTopUp: {
    params: { id: topUp.id },
    data: { ...topUp, status: 'completed', completedAt: '2030-01-31T12:02:30.000Z' },
  },
}
