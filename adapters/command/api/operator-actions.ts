import { wrongUse } from '../command-error.ts'
import type { Actions, ActionFlags } from './action.ts'

const LIST = { limit: '<n>' }
const REASON = { reason: '<text>' }
const ACCOUNT = '/operator/accounts/:0'
const RUN_COLUMNS = ['account', 'id', 'status', 'updatedAt', 'pages', 'rows', 'credits']

const get = { method: 'GET' } as const
const post = { method: 'POST' } as const

/** Actions of operators: on all accounts, and on the platform. */
export const OPERATOR_ACTIONS: Actions = {
  accounts: {
    about: 'all accounts, for operators: see, stop and correct them',
    actions: [
      {
        ...get,
        verb: 'list',
        takes: [],
        help: 'by name; --state active, suspended or closed; --q a part of the name',
        path: '/operator/accounts',
        query: { q: '<text>', state: '<s>', plan: '<id>', ...LIST },
        shows: [
          'id',
          'state',
          'plan.name',
          'wallet',
          'held',
          'runs.running',
          'runs.queued',
          'reason',
        ],
      },
      {
        ...get,
        verb: 'show',
        takes: ['ACCOUNT'],
        help: 'state, plan, credits, and what it has',
        path: ACCOUNT,
        shows: 'answer',
      },
      ...(
        [
          ['suspend', 'its calls are refused and its runs paused, at once'],
          ['resume', 'make it active again'],
          ['close', 'its credentials are refused and its runs cancelled; nothing is deleted'],
        ] as const
      ).map(([verb, help]) => ({
        ...post,
        verb,
        takes: ['ACCOUNT'],
        help,
        path: `${ACCOUNT}/${verb}`,
        flags: REASON,
        body: (_: readonly string[], flags: ActionFlags) => ({ reason: reasonOf(flags) }),
        shows: ['id', 'state', 'since', 'reason'],
      })),
      {
        method: 'PUT',
        verb: 'plan',
        takes: ['ACCOUNT', 'PLAN'],
        help: 'change its plan, at once',
        path: `${ACCOUNT}/plan`,
        flags: REASON,
        body: ([, plan = ''], flags) => ({ plan, reason: reasonOf(flags) }),
        shows: ['plan.id', 'plan.name', 'dailyCap', 'since'],
      },
      {
        ...post,
        verb: 'adjust',
        takes: ['ACCOUNT'],
        help: 'add or subtract credits (one ledger entry); the same --id is applied once',
        path: `${ACCOUNT}/adjustments`,
        flags: { give: '<n>', take: '<n>', id: '<id>', ...REASON },
        body: (_, flags) => ({
          credits: creditsOf(flags),
          reason: reasonOf(flags),
          ...(flags['id'] !== undefined && { id: flags['id'] }),
        }),
        shows: ['id', 'kind', 'moves.wallet', 'at', 'note'],
      },
      {
        ...get,
        verb: 'usage',
        takes: ['ACCOUNT'],
        help: 'what a month was spent on',
        path: `${ACCOUNT}/usage`,
        query: { period: '<month>' },
        shows: 'answer',
      },
      {
        ...get,
        verb: 'keys',
        takes: ['ACCOUNT'],
        help: 'its API keys, without their secrets',
        path: `${ACCOUNT}/keys`,
        query: LIST,
        shows: ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt'],
      },
      {
        ...post,
        verb: 'create-key',
        takes: ['ACCOUNT'],
        help: 'the key alone on stdout, once; an account begins with its first key',
        path: `${ACCOUNT}/keys`,
        flags: { name: '<text>', scopes: '<a,b>', ...REASON },
        body: (_, flags) => ({
          name: flags['name'] ?? 'from the operator',
          scopes: String(flags['scopes'] ?? '*')
            .split(',')
            .map((scope) => scope.trim()),
          reason: reasonOf(flags),
        }),
        shows: 'secret',
      },
      {
        ...post,
        verb: 'revoke-key',
        takes: ['ACCOUNT', 'KEY'],
        help: 'end one of its keys',
        path: `${ACCOUNT}/keys/:1/revoke`,
        flags: REASON,
        body: (_, flags) => ({ reason: reasonOf(flags) }),
        shows: ['id', 'name', 'revokedAt'],
      },
    ],
  },
  operator: {
    about: 'runs of all accounts, workers and the log of acts, for operators',
    actions: [
      {
        ...get,
        verb: 'runs',
        takes: [],
        help: 'of all accounts, by account and the newest first',
        path: '/operator/runs',
        query: { status: '<s>', ...LIST },
        shows: RUN_COLUMNS,
      },
      {
        ...get,
        verb: 'stuck',
        takes: [],
        help: 'those that do not move, with the reason',
        path: '/operator/stuck',
        query: LIST,
        shows: ['account', 'id', 'status', 'stuck.code', 'stuck.since'],
        tells: 'stuck.message',
      },
      ...(
        [
          ['release', 'queue it again; a worker that still holds it can commit nothing more'],
          ['cancel', 'end it; what it has not spent returns'],
        ] as const
      ).map(([verb, help]) => ({
        ...post,
        verb,
        takes: ['ACCOUNT', 'RUN'],
        help,
        path: `${ACCOUNT}/runs/:1/${verb}`,
        flags: REASON,
        body: (_: readonly string[], flags: ActionFlags) => ({ reason: reasonOf(flags) }),
        shows: ['id', 'status', 'updatedAt', 'counters.rows', 'cost.credits'],
      })),
      {
        ...get,
        verb: 'workers',
        takes: [],
        help: 'the last sign of life of each, and what it holds',
        path: '/operator/workers',
        shows: 'answer',
      },
      {
        ...get,
        verb: 'health',
        takes: [],
        help: 'store, blobs, queue, workers and version',
        path: '/operator/health',
        shows: 'answer',
      },
      {
        ...get,
        verb: 'log',
        takes: [],
        help: 'administrative acts: who, what, when and why',
        path: '/operator/log',
        query: { operation: '<o>', from: '<day>', to: '<day>', ...LIST },
        shows: ['at', 'operation', 'account', 'subject', 'by.user', 'reason', 'changed'],
      },
    ],
  },
}

function reasonOf({ reason }: ActionFlags): string {
  if (typeof reason !== 'string' || reason.trim() === '')
    throw wrongUse('--reason says why; it is kept in the log: --reason "unpaid since May"')
  return reason
}

function creditsOf({ give, take }: ActionFlags): number {
  const [added, removed] = [give, take].map((text) =>
    text === undefined ? null : /^[1-9]\d{0,8}$/.test(String(text)) ? Number(text) : NaN,
  )
  const isOne = (added === null) !== (removed === null)
  const credits = added ?? (removed === null || removed === undefined ? NaN : -removed)
  if (!isOne || Number.isNaN(credits))
    throw wrongUse('Name credits by --give <n> or --take <n>: a whole number from 1')
  return credits
}
