import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { downloadOf } from '../common/downloads.ts'
import { countedPageSchema, pageSchema } from '../common/list-schema.ts'
import {
  accountKeyParamsSchema,
  accountParamsSchema,
  accountRunParamsSchema,
  accountsQuerySchema,
  operatorAdjustmentSchema,
  operatorKeyInputSchema,
  operatorKeysQuerySchema,
  operatorLogQuerySchema,
  operatorPlanSchema,
  operatorReasonSchema,
  operatorRevokeSchema,
  operatorRunsQuerySchema,
  operatorStuckQuerySchema,
  operatorUsageQuerySchema,
  operatorVerifyQuerySchema,
} from './schema.ts'
import type { Operator } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))
const billingAnswer = answersFrom(() => import('../billing/answers.ts'))
const keyAnswer = answersFrom(() => import('../keys/answers.ts'))
const executionAnswer = answersFrom(() => import('../executions/answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).OPERATOR_EXAMPLES)

const reads = { method: 'GET', scope: 'operator', limit: 'tasks' } as const
const writes = { method: 'POST', scope: 'operator', limit: 'tasks' } as const
const ACCOUNT = '/api/v1/operator/accounts/:id'
/** Sample lines of a verification, for the documentation. */
const VERIFICATION = [
  { account: 'acme', ok: true, checks: [], differences: [], more: 0 },
  { ok: true, accounts: 1 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('')

/** The routes of those who run the platform for others. */
export function operatorRoutes(operator: Operator): AnyRoute[] {
  return [
    ...accountRoutes(operator),
    ...keyRoutes(operator),
    ...runRoutes(operator),
    ...platformRoutes(operator),
  ]
}

function accountRoutes(operator: Operator): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: '/api/v1/operator/accounts',
      operation: 'operator.accounts',
      summary: 'Lists the accounts that have a record, by name',
      query: accountsQuerySchema,
      data: answer((all) => pageSchema(all.accountSummarySchema)),
      description:
        'A request reads a few hundred accounts. With a filter, a page may be short or even ' +
        'empty, and still have a cursor.',
      example: example('accounts'),
      handler: ({ query }) => operator.accounts(query),
    }),
    defineRoute({
      ...reads,
      path: ACCOUNT,
      operation: 'operator.account',
      summary: 'Reads an account: state, plan, credits, and counts',
      params: accountParamsSchema,
      data: answer((all) => all.accountDetailSchema),
      example: example('account'),
      handler: ({ params }) => operator.account(params.id),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/suspend`,
      operation: 'operator.suspend',
      summary: 'Suspends an account',
      params: accountParamsSchema,
      body: operatorReasonSchema,
      data: answer((all) => all.accountStateSchema),
      description:
        'From the next call on its credentials are refused with 403. Running executions are paused ' +
        'within 10 s; schedules, links to media and webhooks stop. The state of the host ' +
        '(`accountStatus`) counts too: the stricter one holds.',
      errors: ['CONFLICT'],
      example: example('suspend'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.suspend(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/resume`,
      operation: 'operator.resume',
      summary: 'Makes a suspended or closed account active again',
      params: accountParamsSchema,
      body: operatorReasonSchema,
      data: answer((all) => all.accountStateSchema),
      description:
        'Runs that were paused because of the suspension stay paused: they are among the stuck ' +
        'runs, and `release` continues them. An account that is being erased is refused with 409.',
      errors: ['CONFLICT'],
      example: example('resume'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.resume(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/close`,
      operation: 'operator.close',
      summary: 'Closes an account',
      params: accountParamsSchema,
      body: operatorReasonSchema,
      data: answer((all) => all.accountStateSchema),
      description:
        'From the next call on its credentials are refused with 401. Running executions are ' +
        'cancelled within 10 s. Nothing is deleted: `resume` opens it again.',
      errors: ['CONFLICT'],
      example: example('close'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.close(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/erase`,
      operation: 'operator.erase',
      summary: 'Deletes all that is stored of a closed account',
      params: accountParamsSchema,
      body: operatorReasonSchema,
      data: answer((all) => all.erasedAccountSchema),
      description:
        'Records, money, keys, jobs, rows, kept pages and media. It cannot be undone. An account ' +
        'that is not closed, or has unfinished runs, is refused with 409. If the call is interrupted ' +
        'or a proxy does not wait for the answer, which comes at the end, repeat it: until ' +
        'all is deleted, the account cannot be opened. It stays closed. The log of acts gets ' +
        'its entry before the first deletion, and keeps its name. SQLite ' +
        'and Postgres reuse the freed space of their files later.',
      errors: ['CONFLICT'],
      example: example('erase'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.erase(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      method: 'PUT',
      path: `${ACCOUNT}/plan`,
      operation: 'operator.setPlan',
      summary: "Changes an account's plan",
      params: accountParamsSchema,
      body: operatorPlanSchema,
      data: billingAnswer((all) => all.subscriptionSchema),
      description: 'It takes effect at once. The daily cap that the account has set itself stays.',
      example: example('setPlan'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.setPlan(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/adjustments`,
      operation: 'operator.adjust',
      summary: 'Gives credits to an account, or takes credits',
      params: accountParamsSchema,
      body: operatorAdjustmentSchema,
      data: billingAnswer((all) => all.entrySchema),
      status: 201,
      description:
        'Writes an entry of the ledger, with the reason as its note. Answers 409 if the wallet would ' +
        "fall below the plan's floor.",
      errors: ['CONFLICT'],
      example: example('adjust'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.adjust(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...reads,
      path: `${ACCOUNT}/usage`,
      operation: 'operator.usage',
      summary: "Reads an account's usage of a month",
      params: accountParamsSchema,
      query: operatorUsageQuerySchema,
      data: billingAnswer((all) => all.billingUsageSchema),
      example: example('usage'),
      handler: ({ params, query }) => operator.usage(params.id, query),
    }),
  ]
}

function keyRoutes(operator: Operator): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: `${ACCOUNT}/keys`,
      operation: 'operator.keys',
      summary: "Lists an account's API keys, newest first",
      params: accountParamsSchema,
      query: operatorKeysQuerySchema,
      data: keyAnswer((all) => countedPageSchema(all.keySchema)),
      example: example('keys'),
      handler: ({ params, query }) => operator.keys(params.id, query),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/keys`,
      operation: 'operator.createKey',
      summary: 'Creates an API key of an account; its secret is shown once',
      params: accountParamsSchema,
      body: operatorKeyInputSchema,
      data: keyAnswer((all) => all.createdKeySchema),
      status: 201,
      secret: true,
      description:
        'The account may be new: it exists from its first key on. The scope ' +
        '`operator` cannot be given here.',
      errors: ['CONFLICT'],
      example: example('createKey'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.createKey(principal, params.id, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/keys/:key/revoke`,
      operation: 'operator.revokeKey',
      summary: 'Revokes an API key of an account',
      params: accountKeyParamsSchema,
      body: operatorRevokeSchema,
      data: keyAnswer((all) => all.revokedKeySchema),
      example: example('revokeKey'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.revokeKey(principal, params.id, params.key, body, preconditions),
    }),
  ]
}

function runRoutes(operator: Operator): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: '/api/v1/operator/runs',
      operation: 'operator.runs',
      summary: 'Lists the runs of all accounts, by account, newest first',
      query: operatorRunsQuerySchema,
      data: answer((all) => pageSchema(all.operatorRunSchema)),
      description:
        'A request reads 200 accounts: a page may be short or even empty, and still have a cursor.',
      example: example('runs'),
      handler: ({ query }) => operator.runs(query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/operator/stuck',
      operation: 'operator.stuck',
      summary: 'Lists the unfinished runs that do not move, with the reason',
      query: operatorStuckQuerySchema,
      data: answer((all) => pageSchema(all.stuckRunSchema)),
      description:
        'Runs that have been queued for a minute, whose worker is gone, that have settled no page for ' +
        '15 minutes, or that are still paused after a suspension has ended. A page may be short ' +
        'or even empty, and still have a cursor.',
      example: example('stuck'),
      handler: ({ query }) => operator.stuck(query),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/runs/:run/release`,
      operation: 'operator.release',
      summary: 'Queues an unfinished run again',
      params: accountRunParamsSchema,
      body: operatorReasonSchema,
      data: executionAnswer((all) => all.executionSchema),
      description:
        'It gets a new job. A worker that still holds it can commit nothing more; what is ' +
        'committed stays. A run that its account has paused is refused.',
      errors: ['CONFLICT'],
      example: example('release'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.release(principal, params.id, params.run, body, preconditions),
    }),
    defineRoute({
      ...writes,
      path: `${ACCOUNT}/runs/:run/cancel`,
      operation: 'operator.cancel',
      summary: 'Cancels a run of an account',
      params: accountRunParamsSchema,
      body: operatorReasonSchema,
      data: executionAnswer((all) => all.executionSchema),
      description: 'Credits that it has not spent return to its account.',
      errors: ['CONFLICT'],
      example: example('cancel'),
      handler: ({ principal, params, body, preconditions }) =>
        operator.cancel(principal, params.id, params.run, body, preconditions),
    }),
  ]
}

function platformRoutes(operator: Operator): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: '/api/v1/operator/workers',
      operation: 'operator.workers',
      summary: 'Lists the workers with their last sign of life and what each holds',
      data: answer((all) => all.operatorWorkersSchema),
      description:
        "Lists workers of processes with the operator's API. A killed one disappears after a minute.",
      example: example('workers'),
      handler: () => operator.workers(),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/operator/health',
      operation: 'operator.health',
      summary: 'Reads the state of the platform: store, blobs, queue, workers, version',
      data: answer((all) => all.operatorHealthSchema),
      example: example('health'),
      handler: () => operator.health(),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/operator/verification',
      operation: 'operator.verify',
      summary: 'Recomputes indexes, balances and counters, and reports differences',
      query: operatorVerifyQuerySchema,
      raw: {
        contents: { 'application/x-ndjson': VERIFICATION },
        headers: { 'Content-Disposition': 'Name of the file (RFC 6266).' },
      },
      description:
        'A line of JSON for each account, with at most 100 of its differences; `more` is the ' +
        'number of the others. The account `~` is the platform itself. The last line, without an ' +
        '`account`, says that all were verified. What the store or the disk cannot read is a ' +
        'difference of the area `store`. Empty lines are signs of life. Nothing is repaired. A ' +
        'process verifies for one caller at a time (409), and stops when the caller leaves.',
      errors: ['CONFLICT', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
      example: example('verify'),
      handler: async ({ principal, query, signal }) =>
        downloadOf({
          name: 'verification.jsonl',
          contentType: 'application/x-ndjson',
          body: await operator.verify(principal, query.account ?? null, signal),
        }),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/operator/log',
      operation: 'operator.log',
      summary: 'Lists the administrative acts, newest first',
      query: operatorLogQuerySchema,
      data: answer((all) => countedPageSchema(all.administrativeActSchema)),
      description:
        'Each successful write of this API, with its caller, time and reason. An entry is written with ' +
        'its act, for an erasure before the first deletion. It never changes or expires.',
      example: example('log'),
      handler: ({ query }) => operator.log(query),
    }),
  ]
}
