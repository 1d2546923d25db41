import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { createdEntries, listEntries } from '../common/list-schema.ts'
import { ENTRY_KINDS } from '../ledger/records.ts'

export const whole = v.pipe(v.number(), v.integer())

const MOST_CREDITS = 1_000_000_000

/** A month of the calendar, UTC. */
export const periodSchema = v.pipe(
  v.string(),
  v.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, 'must be a month, such as 2030-01'),
  v.description('A month, UTC: `YYYY-MM`.'),
)

/** Query of the ledger. */
export const entryQuerySchema = v.strictObject({
  period: v.exactOptional(periodSchema),
  kind: v.exactOptional(v.picklist(ENTRY_KINDS)),
  execution: v.exactOptional(
    v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description('Id of an execution.')),
  ),
  ...createdEntries,
})

/** Query of the activity, the statements and the top-ups. */
export const billingListQuerySchema = v.strictObject(createdEntries)

/** Query of the usage. */
export const billingUsageQuerySchema = v.strictObject({ period: v.exactOptional(periodSchema) })

/** Query of the usage by caller. */
export const callerUsageQuerySchema = v.strictObject({
  period: v.exactOptional(periodSchema),
  by: v.exactOptional(
    v.pipe(
      v.picklist(['key', 'user']),
      v.description('How callers are distinguished; default `key`.'),
    ),
  ),
})

/** Body of a subscription. */
export const subscriptionInputSchema = v.pipe(
  v.strictObject({
    plan: v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description('Id of a plan.')),
    dailyCap: v.exactOptional(
      v.pipe(
        v.nullable(v.pipe(whole, v.minValue(0), v.maxValue(MOST_CREDITS))),
        v.description(
          'Credits that may be spent in a day, UTC; absent or `null`: no cap of its own.',
        ),
      ),
    ),
  }),
  documented({ component: 'SubscriptionInput' }),
)

/** Query of a statement. */
export const statementQuerySchema = v.strictObject({
  format: v.exactOptional(
    v.pipe(
      v.picklist(['json', 'csv', 'html']),
      v.description('`json` returns the lines page by page; files have all lines. Default `json`.'),
    ),
  ),
  ...listEntries,
})

/** Body of a top-up. */
export const topUpInputSchema = v.pipe(
  v.strictObject({
    credits: v.pipe(whole, v.minValue(1), v.maxValue(MOST_CREDITS)),
    returnUrl: v.exactOptional(
      v.pipe(
        v.string(),
        v.maxLength(2_000),
        v.url('must be a URL such as https://example.com/paid'),
        v.check(
          (text) => /^https?:/.test(text) || !URL.canParse(text),
          'must begin with https:// or http://',
        ),
        v.description('The URL to which the payer returns.'),
      ),
    ),
  }),
  documented({ component: 'TopUpInput' }),
)
