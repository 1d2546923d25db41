import { sha256Hex } from '../../kernel/crypto.ts'
import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { attachment } from '../common/downloads.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import {
  billingListQuerySchema,
  billingUsageQuerySchema,
  callerUsageQuerySchema,
  entryQuerySchema,
  statementQuerySchema,
  subscriptionInputSchema,
  topUpInputSchema,
} from './schema.ts'
import type { Billing } from './service.ts'
import type { StatementFormat } from './statement-file.ts'

const answer = answersFrom(() => import('./answers.ts'))

const reads = { method: 'GET', scope: 'billing:read', limit: 'billing' } as const
const writes = { scope: 'billing:write', limit: 'billing' } as const

const example = examplesFrom(async () => (await import('./examples.ts')).BILLING_EXAMPLES)

/** The routes of billing. */
export function billingRoutes(billing: Billing): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: '/api/v1/billing/balance',
      operation: 'billing.balance',
      summary: "Reads the account's credits",
      data: answer((all) => all.balanceSchema),
      description: 'Includes what running executions have spent so far.',
      example: example('balance'),
      handler: ({ principal }) => billing.balance(principal),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/ledger',
      operation: 'billing.ledger',
      summary: 'Lists the ledger entries, newest first',
      query: entryQuerySchema,
      data: answer((all) => countedPageSchema(all.entrySchema)),
      description:
        'Double entry: the moves of each entry sum to zero. Entries are written once and never changed.',
      example: example('ledger'),
      handler: ({ principal, query }) => billing.ledger(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/activity',
      operation: 'billing.activity',
      summary: "Lists the activity of the account's credits, newest first",
      query: billingListQuerySchema,
      data: answer((all) => countedPageSchema(all.activitySchema)),
      description: 'An execution is one line, at the time when it started.',
      example: example('activity'),
      handler: ({ principal, query }) => billing.activity(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/usage',
      operation: 'billing.usage',
      summary: "Sums up how a month's credits were spent",
      query: billingUsageQuerySchema,
      data: answer((all) => all.billingUsageSchema),
      description:
        'By kind of entry, outcome, day and task. Without `period`: the month that is open.',
      example: example('usage'),
      handler: ({ principal, query }) => billing.usage(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/usage/callers',
      operation: 'billing.callers',
      summary: "Sums up a month's usage by API key or by user",
      query: callerUsageQuerySchema,
      data: answer((all) => all.callerUsageSchema),
      description:
        'Credits, pages and bytes by day, UTC. An execution counts for the caller who started ' +
        'it or set its schedule. All lines add up to the usage of the account. Without `period`: the ' +
        'month that is open.',
      example: example('callers'),
      handler: ({ principal, query }) => billing.callers(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/plans',
      operation: 'billing.plans',
      summary: 'Lists the plans and the price table',
      data: answer((all) => all.plansSchema),
      example: example('plans'),
      handler: ({ principal }) => billing.plans(principal),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/subscription',
      operation: 'billing.subscription',
      summary: "Reads the account's plan and daily cap",
      data: answer((all) => all.subscriptionSchema),
      example: example('subscription'),
      handler: ({ principal }) => billing.subscription(principal),
    }),
    defineRoute({
      ...writes,
      method: 'PUT',
      path: '/api/v1/billing/subscription',
      operation: 'billing.subscribe',
      summary: "Sets the account's plan and daily cap",
      body: subscriptionInputSchema,
      data: answer((all) => all.subscriptionSchema),
      tagged: true,
      ifMatch: true,
      errors: ['PAYMENT_REQUIRED'],
      description:
        'Takes effect at once. A plan with more credits a month grants the difference for the ' +
        'rest of the month, rounded down, once for each plan and month. A plan with fewer ' +
        'takes effect on credits only next month. A paid plan is 402: only the operator ' +
        'of the service can assign it.',
      example: example('subscribe'),
      handler: ({ principal, body, preconditions }) =>
        billing.subscribe(principal, body, preconditions),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/statements',
      operation: 'billing.statements',
      summary: 'Lists the statements, newest first',
      query: billingListQuerySchema,
      data: answer((all) => countedPageSchema(all.statementSchema)),
      description:
        'One a month, UTC. That of the open month is first and may change; closed ones never change.',
      example: example('statements'),
      handler: ({ principal, query }) => billing.statements(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/statements/:id',
      operation: 'billing.statement',
      summary: "Reads a month's statement",
      params: idParamsSchema,
      query: statementQuerySchema,
      data: answer((all) => all.statementPageSchema),
      errors: ['TOO_MANY_REQUESTS'],
      raw: {
        contents: { 'text/csv': STATEMENT_FILES.csv, 'text/html': STATEMENT_FILES.html },
        compressible: ['text/csv', 'text/html'],
        headers: {
          'Content-Disposition': 'Name of the file (RFC 6266).',
          'Content-Encoding': '`gzip`, if `Accept-Encoding` allows it.',
        },
      },
      description:
        'The id is the month, `YYYY-MM`. `format=csv` and `format=html` (for printing) have ' +
        'one line for every ledger entry. `limit` and `cursor` apply to JSON only.',
      example: example('statement'),
      handler: async ({ principal, params, query: { format = 'json', ...page } }) =>
        format === 'json'
          ? billing.statement(principal, params.id, page)
          : fileAnswer(billing, principal, params.id, format),
    }),
    defineRoute({
      ...writes,
      method: 'POST',
      path: '/api/v1/billing/top-ups',
      operation: 'billing.topUp',
      summary: 'Buys credits',
      body: topUpInputSchema,
      data: answer((all) => all.topUpSchema),
      status: 201,
      errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
      description:
        'If the status is `pending`, send the payer to `url`; the credits are added after ' +
        'payment. 404 if the service takes no payments.',
      example: example('topUp'),
      handler: async ({ principal, body, preconditions, request }) =>
        billing.topUp(
          principal,
          { ...body, ...(await referenceOf(principal.account, request)) },
          preconditions,
        ),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/top-ups',
      operation: 'billing.topUps',
      summary: 'Lists top-ups, newest first',
      query: billingListQuerySchema,
      data: answer((all) => countedPageSchema(all.topUpSchema)),
      example: example('topUps'),
      handler: ({ principal, query }) => billing.topUps(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/billing/top-ups/:id',
      operation: 'billing.getTopUp',
      summary: 'Reads the state of a top-up',
      params: idParamsSchema,
      data: answer((all) => all.topUpSchema),
      example: example('getTopUp'),
      handler: ({ principal, params }) => billing.getTopUp(principal, params.id),
    }),
  ]
}

async function fileAnswer(
  billing: Billing,
  principal: Parameters<Billing['statementFile']>[0],
  id: string,
  format: StatementFormat,
): Promise<Response> {
  const { name, contentType, body } = await billing.statementFile(principal, id, format)
  const isPage = format === 'html'
  return new Response(body, {
    headers: {
      'Content-Type': contentType,
      'Content-Disposition': isPage
        ? attachment(name).replace('attachment', 'inline')
        : attachment(name),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(isPage && {
        'Content-Security-Policy':
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-modals",
      }),
    },
  })
}

/**
 * Derives a top-up's reference from the request, so that a repeated request is not paid twice even
 * if the first one never got a response.
 */
async function referenceOf(account: string, request: Request): Promise<{ reference?: string }> {
  const key = request.headers.get('idempotency-key')
  return key === null
    ? {}
    : { reference: `top_${(await sha256Hex(JSON.stringify([account, key]))).slice(0, 32)}` }
}

/** Sample statement files, for the documentation. */
const STATEMENT_FILES = {
  csv:
    'at,id,kind,cause,execution,task,wallet,held,revenue,grants,expired,balance,pages,note\r\n' +
    '2030-01-01T00:00:00.000Z,le_01K3A0B8D2F6H0K4N7Q1T5W9Y3,grant,plan:2030-01,,,' +
    '1000,0,0,-1000,0,1000,,Credits of the plan Starter\r\n',
  html:
    '<!doctype html>\n' +
    '<html lang="en"><head><meta charset="utf-8"><title>Statement 2030-01</title></head>' +
    '<body>…</body></html>\n',
}
