import { BILLING_EXAMPLES } from '../billing/examples.ts'
import { EXECUTION_EXAMPLES } from '../executions/examples.ts'
import { KEY_EXAMPLES } from '../keys/examples.ts'

const params = { id: 'acme' }
const run = 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V'
const key = 'key_01K3A8X2B6D0F4H8K3M7P1R5T9'
const by = { account: 'staff', user: 'olga@example.com', key: null }
const since = '2030-01-31T12:00:00.000Z'
const reason = 'Unpaid since December'
const summary = {
  id: 'acme',
  state: 'active',
  reason: null,
  plan: { id: 'starter', name: 'Starter' },
  wallet: 860,
  held: 0,
  runs: { queued: 1, running: 0, paused: 0 },
}
const state = { id: 'acme', state: 'suspended', reason, since, by }
const operatorRun = {
  id: run,
  account: 'acme',
  taskId: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
  status: 'queued',
  reason: null,
  createdAt: since,
  startedAt: null,
  finishedAt: null,
  updatedAt: since,
  pages: 0,
  failed: 0,
  rows: 0,
  credits: 0,
  reserved: 500,
}
const part = { ok: true, ms: 1, error: null }

/** Examples of the operator's API, for the documentation. */
export const OPERATOR_EXAMPLES = {
  accounts: {
    query: { state: 'active', limit: '50' },
    data: { items: [summary], nextCursor: null },
  },
  account: {
    params,
    data: {
      ...summary,
      set: null,
      balance: BILLING_EXAMPLES.balance.data,
      subscription: BILLING_EXAMPLES.subscription.data,
      holds: { keys: 3, tasks: 41, datasets: 2, bytes: 52_428_800 },
    },
  },
  suspend: { params, body: { reason }, data: state },
  resume: {
    params,
    body: { reason: 'Paid' },
    data: { ...state, state: 'active', reason: 'Paid' },
  },
  close: {
    params,
    body: { reason: 'Asked for it' },
    data: { ...state, state: 'closed', reason: 'Asked for it' },
  },
  erase: {
    params,
    body: { reason: 'Asked for by the customer' },
    data: { id: 'acme', records: 1_204, blobs: 58 },
  },
  verify: { query: { account: 'acme' } },
  setPlan: {
    params,
    body: { plan: 'starter', reason: 'Signed the contract' },
    data: BILLING_EXAMPLES.subscription.data,
  },
  adjust: {
    params,
    body: { credits: 500, reason: 'Goodwill for the outage' },
    data: {
      id: 'le_01K3AB8D2F6H0K4N7Q1T5W9Y3C',
      period: '2030-01',
      at: since,
      kind: 'adjust',
      cause: 'adjust:adj_01K3AB8D2F6H0K4N7Q1T5W9Y3C',
      moves: { grants: -500, wallet: 500 },
      executionId: null,
      taskId: null,
      pages: [],
      note: 'Goodwill for the outage',
    },
  },
  usage: { params, query: { period: '2030-01' }, data: BILLING_EXAMPLES.usage.data },
  keys: { params, query: { limit: '20' }, data: KEY_EXAMPLES.list.data },
  createKey: {
    params,
    body: {
      name: 'Nightly export',
      scopes: ['tasks:read', 'executions:read'],
      expiresAt: '2031-01-31T12:00:00Z',
      reason: 'First key of a new customer',
    },
    data: KEY_EXAMPLES.create.data,
  },
  revokeKey: {
    params: { ...params, key },
    body: { reason: 'It was published', descendants: true },
    data: KEY_EXAMPLES.revoke.data,
  },
  runs: { query: { status: 'queued' }, data: { items: [operatorRun], nextCursor: null } },
  stuck: {
    query: { limit: '50' },
    data: {
      items: [
        {
          ...operatorRun,
          stuck: { code: 'job_lost', message: 'It has no job in the queue: release it', since },
        },
      ],
      nextCursor: null,
    },
  },
  release: {
    params: { ...params, run },
    body: { reason: 'Its job was lost' },
    data: EXECUTION_EXAMPLES.resume.data,
  },
  cancel: {
    params: { ...params, run },
    body: { reason: 'It does harm to a site' },
    data: EXECUTION_EXAMPLES.cancel.data,
  },
  workers: {
    data: {
      workers: [
        {
          id: 'worker_01K3AB8D2F6H0K4N7Q1T5W9Y3C',
          startedAt: '2030-01-31T08:00:00.000Z',
          aliveAt: since,
          holds: 1,
          jobs: [
            {
              id: `run:${run}:1896177600000`,
              kind: 'execution',
              account: 'acme',
              execution: run,
              since,
            },
          ],
        },
      ],
    },
  },
  health: {
    data: {
      ok: true,
      at: since,
      store: part,
      blobs: part,
      worker: { running: true, aliveAt: 1_896_177_600_000 },
      queue: [
        { lane: 'short', depth: 0, ageMs: 0 },
        { lane: 'remote', depth: 0, ageMs: 0 },
        { lane: 'long', depth: 3, ageMs: 1_200 },
      ],
      workers: 3,
      version: '0.1.0',
      runtime: 'Node.js/24',
    },
  },
  log: {
    query: { account: 'acme' },
    data: {
      items: [
        {
          id: 'act_01K3AB8D2F6H0K4N7Q1T5W9Y3C',
          at: since,
          operation: 'operator.suspend',
          account: 'acme',
          subject: null,
          by,
          reason,
          detail: {},
          changed: true,
        },
      ],
      nextCursor: null,
    },
  },
}
