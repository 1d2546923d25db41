import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { nextCursorSchema, timeSchema } from '../common/list-schema.ts'
import { FINAL_OUTCOMES } from '../executions/schema.ts'
import { ENTRY_KINDS } from '../ledger/records.ts'
import { whole } from './schema.ts'

const count = v.pipe(whole, v.minValue(0))

const nullableText = v.nullable(v.string())

const daySchema = v.pipe(v.string(), v.isoDate())

const monthSchema = v.pipe(v.string(), v.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/))

/** Credits in each account of the ledger. */
export const creditsSchema = v.pipe(
  v.strictObject({ wallet: whole, held: whole, revenue: whole, grants: whole, expired: whole }),
  v.description(
    '`wallet`: can be spent. `held`: reserved for executions. `revenue`: spent. `expired`: ' +
      'lost. `grants`: the source of all credits. They sum to zero.',
  ),
  documented({ component: 'Credits' }),
)

const cap = (what: string) => v.pipe(v.nullable(count), v.description(what))

const capsSchema = v.pipe(
  v.strictObject({
    keys: cap('API keys, without the revoked ones.'),
    tasks: cap('Tasks.'),
    datasets: cap('Datasets.'),
    webhooks: cap('Webhooks.'),
    streams: cap('Streams of events, and waits for a run, that are open at the same time.'),
    bytes: cap('Bytes of rows, kept pages, visits, media and datasets; beyond it runs end.'),
  }),
  v.description('Limits of an account; `null`: no limit.'),
  documented({ component: 'Caps' }),
)

const pageLimitsSchema = v.pipe(
  v.strictObject({
    steps: v.pipe(count, v.description('Units of work, of about 25 ns each.')),
    bytes: v.pipe(
      count,
      v.description("Bytes of the page's results: its tree, values, rows, formats and links."),
    ),
  }),
  v.description(
    'What one page may cost. If a page exceeds it, what was read before is kept, with the ' +
      'reason `page_too_costly`.',
  ),
  documented({ component: 'PageLimits' }),
)

/** A ledger entry on the wire. */
export const entrySchema = v.pipe(
  v.strictObject({
    id: v.string(),
    period: v.pipe(monthSchema, v.description('The month that it is accounted to.')),
    at: timeSchema,
    kind: v.picklist(ENTRY_KINDS),
    cause: v.pipe(
      v.string(),
      v.description('The reason for the entry; each reason has one entry at most.'),
    ),
    moves: v.pipe(
      v.strictObject({
        wallet: v.exactOptional(whole),
        held: v.exactOptional(whole),
        revenue: v.exactOptional(whole),
        grants: v.exactOptional(whole),
        expired: v.exactOptional(whole),
      }),
      v.description('Credits added to each account that it touches; they sum to zero.'),
    ),
    executionId: nullableText,
    taskId: nullableText,
    pages: v.pipe(
      v.array(v.strictObject({ seq: count, outcome: v.picklist(FINAL_OUTCOMES), credits: count })),
      v.description("Pages that it is for, by their number in the execution's page report."),
    ),
    note: nullableText,
  }),
  documented({ component: 'LedgerEntry' }),
)

/** `data` of the balance. */
export const balanceSchema = v.pipe(
  v.strictObject({
    credits: creditsSchema,
    spendable: v.pipe(
      v.nullable(count),
      v.description('Credits that new executions can reserve; `null`: any number.'),
    ),
    floor: v.pipe(
      v.nullable(whole),
      v.description('The lowest balance of the wallet; `null`: no lower bound.'),
    ),
    plan: v.strictObject({ id: v.string(), name: v.string() }),
    period: v.pipe(monthSchema, v.description('The month that is open.')),
    lots: v.pipe(
      v.array(
        v.strictObject({ id: v.string(), credits: count, expiresAt: v.nullable(timeSchema) }),
      ),
      v.description('The parts of the wallet, in the order of spending.'),
    ),
    dailyCap: v.pipe(
      v.nullable(
        v.strictObject({ credits: count, day: v.pipe(v.string(), v.isoDate()), taken: count }),
      ),
      v.description("The day's cap, and how much of it executions have reserved; `null`: no cap."),
    ),
  }),
  documented({ component: 'Balance' }),
)

/** A line of the activity. */
export const activitySchema = v.pipe(
  v.strictObject({
    id: v.string(),
    at: v.pipe(timeSchema, v.description('Of an execution: when it began.')),
    type: v.picklist(['execution', 'grant', 'top_up', 'refund', 'expire', 'adjust', 'fetch']),
    text: v.pipe(v.string(), v.description('For people; its wording may change.')),
    credits: v.pipe(whole, v.description('The change in credits; negative if it took credits.')),
    executionId: nullableText,
    taskId: nullableText,
    execution: v.nullable(
      v.strictObject({
        status: v.picklist(['running', 'finished']),
        reserved: v.pipe(count, v.description('Its maximum cost.')),
        spent: count,
        pages: v.pipe(
          v.nullable(count),
          v.description('Pages that cost something; `null` if the page report has been deleted.'),
        ),
        endedAt: v.pipe(
          v.nullable(timeSchema),
          v.description('`null` while it runs, or if it was deleted.'),
        ),
      }),
    ),
  }),
  documented({ component: 'Activity' }),
)

/** `data` of the usage. */
export const billingUsageSchema = v.pipe(
  v.strictObject({
    period: monthSchema,
    spent: count,
    refunded: count,
    byKind: v.array(
      v.strictObject({ kind: v.picklist(ENTRY_KINDS), entries: count, wallet: whole }),
    ),
    byOutcome: v.array(
      v.strictObject({ outcome: v.picklist(FINAL_OUTCOMES), pages: count, credits: count }),
    ),
    byDay: v.array(v.strictObject({ day: daySchema, spent: count, refunded: count })),
    byTask: v.pipe(
      v.array(
        v.strictObject({ taskId: nullableText, name: nullableText, spent: count, refunded: count }),
      ),
      v.description(
        'The most expensive first, at most 100; `taskId` is `null` for executions without a task.',
      ),
    ),
  }),
  documented({ component: 'BillingUsage' }),
)

const used = {
  credits: v.pipe(count, v.description('Credits that pages cost, without refunds.')),
  pages: count,
  bytes: count,
}

const usedByDay = { ...used, byDay: v.array(v.strictObject({ day: daySchema, ...used })) }

/** `data` of the usage by caller. */
export const callerUsageSchema = v.pipe(
  v.strictObject({
    period: monthSchema,
    by: v.picklist(['key', 'user']),
    ...used,
    callers: v.pipe(
      v.array(
        v.pipe(
          v.strictObject({
            id: v.pipe(
              nullableText,
              v.description(
                'Id of the key, or the user. `null`: calls without a key, and usage from before ' +
                  'callers were counted.',
              ),
            ),
            name: v.pipe(
              nullableText,
              v.description('Name of the key; `null`: the caller is a user.'),
            ),
            ...usedByDay,
          }),
          documented({ component: 'CallerUsageLine' }),
        ),
      ),
      v.description('The most expensive first, at most 100.'),
    ),
    others: v.pipe(
      v.nullable(v.strictObject({ callers: count, ...usedByDay })),
      v.description('Callers that are not shown; `null`: none.'),
    ),
  }),
  documented({ component: 'CallerUsage' }),
)

/** A plan on the wire. */
export const planSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    name: v.string(),
    description: v.string(),
    creditsPerMonth: count,
    creditsExpire: v.pipe(
      v.union([v.picklist(['never', 'month-end']), v.strictObject({ months: count })]),
      v.description('When granted credits expire.'),
    ),
    overdraft: v.pipe(
      v.nullable(count),
      v.description('How far below zero the wallet may go; `null`: no limit.'),
    ),
    dailyCap: v.pipe(
      v.nullable(count),
      v.description('Credits that may be spent in a day, UTC; `null`: any number.'),
    ),
    concurrentExecutions: v.pipe(
      v.nullable(count),
      v.description('Unfinished executions at the same time; `null`: any number.'),
    ),
    retentionDays: v.pipe(
      v.nullable(count),
      v.description('Days that finished executions are kept; `null`: for ever.'),
    ),
    rates: v.pipe(
      v.record(
        v.string(),
        v.nullable(v.strictObject({ limit: v.number(), periodMs: v.number(), burst: v.number() })),
      ),
      v.description(
        "Rate limits by service; `null`: none. Other services have the platform's default rate.",
      ),
    ),
    previews: v.pipe(
      v.strictObject({
        perDay: v.nullable(count),
        perScope: v.nullable(count),
        urls: v.nullable(count),
      }),
      v.description("`null`: the platform's default."),
    ),
    caps: capsSchema,
    page: pageLimitsSchema,
    price: v.pipe(
      v.nullable(v.strictObject({ amount: v.number(), currency: v.string() })),
      v.description('A month, in the smallest unit of the currency (ISO 4217).'),
    ),
    access: v.pipe(
      v.picklist(['self-service', 'listed', 'private']),
      v.description('`self-service`: any account can choose it; else the operator assigns it.'),
    ),
  }),
  documented({ component: 'BillingPlan' }),
)

/** `data` of the plans. */
export const plansSchema = v.strictObject({
  plans: v.array(planSchema),
  current: v.pipe(v.string(), v.description("Id of the account's plan.")),
  prices: v.pipe(
    v.record(v.string(), count),
    v.description(
      'Credits that a page costs, by outcome. Outcomes that are not listed cost nothing.',
    ),
  ),
  topUps: v.pipe(v.boolean(), v.description('Whether credits can be bought here.')),
})

/** A subscription on the wire. */
export const subscriptionSchema = v.pipe(
  v.strictObject({
    plan: planSchema,
    dailyCap: v.pipe(
      v.nullable(count),
      v.description("The account's own cap; the plan's cap also applies."),
    ),
    since: v.pipe(
      v.nullable(timeSchema),
      v.description('When it chose this plan; `null`: it has never chosen one.'),
    ),
  }),
  documented({ component: 'Subscription' }),
)

const statementEntries = {
  id: monthSchema,
  status: v.pipe(
    v.picklist(['open', 'closed']),
    v.description('A closed statement never changes.'),
  ),
  from: timeSchema,
  to: v.pipe(timeSchema, v.description('Not included.')),
  plan: v.pipe(v.string(), v.description('Id of the plan at the end of the month, or now.')),
  opening: creditsSchema,
  closing: creditsSchema,
  entries: count,
  totals: v.pipe(
    v.array(v.strictObject({ kind: v.picklist(ENTRY_KINDS), entries: count, wallet: whole })),
    v.description('By kind of entry: their number, and the credits that they added to the wallet.'),
  ),
}

/** A statement in a list. */
export const statementSchema = v.pipe(
  v.strictObject(statementEntries),
  documented({ component: 'Statement' }),
)

/** `data` of a statement. */
export const statementPageSchema = v.strictObject({
  ...statementEntries,
  lines: v.pipe(
    v.strictObject({ items: v.array(entrySchema), nextCursor: nextCursorSchema }),
    v.description('The ledger entries of the month, the oldest first.'),
  ),
})

/** A top-up on the wire. */
export const topUpSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    credits: count,
    status: v.pipe(
      v.picklist(['pending', 'completed', 'failed']),
      v.description('`completed`: the payment arrived, and the credits are in the wallet.'),
    ),
    url: v.pipe(nullableText, v.description('The payment page, if there is one.')),
    returnUrl: nullableText,
    reason: v.pipe(nullableText, v.description('Why it failed.')),
    createdAt: timeSchema,
    completedAt: v.nullable(timeSchema),
  }),
  documented({ component: 'TopUp' }),
)
