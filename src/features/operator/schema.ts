import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { periodSchema } from '../billing/schema.ts'
import { createdEntries, listEntries } from '../common/list-schema.ts'
import { isInCalendar } from '../common/time.ts'
import { keyInputSchema } from '../keys/schema.ts'

const name = (description: string) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description(description))

const reasonSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'must say why'),
  v.maxLength(500),
  v.description('The reason. It is kept in the log of administrative acts.'),
)

const accountEntries = { id: name('An account.') }

/** The account of a path. */
export const accountParamsSchema = v.strictObject(accountEntries)

/** The account and the run of a path. */
export const accountRunParamsSchema = v.strictObject({
  ...accountEntries,
  run: name('A run of the account.'),
})

/** The account and the key of a path. */
export const accountKeyParamsSchema = v.strictObject({
  ...accountEntries,
  key: name('Id of a key of the account.'),
})

/** Query of the accounts. */
export const accountsQuerySchema = v.strictObject({
  q: v.exactOptional(name('A part of the name of an account.')),
  state: v.exactOptional(
    v.pipe(
      v.picklist(['active', 'suspended', 'closed']),
      v.description('The state that the operator or the host has set.'),
    ),
  ),
  plan: v.exactOptional(name('Id of a plan.')),
  ...listEntries,
})

/** Body of a write that needs only a reason. */
export const operatorReasonSchema = v.pipe(
  v.strictObject({ reason: reasonSchema }),
  documented({ component: 'OperatorReason' }),
)

/** Body of a change of plan. */
export const operatorPlanSchema = v.pipe(
  v.strictObject({
    plan: name('Id of any plan, even if no list shows it.'),
    reason: reasonSchema,
  }),
  documented({ component: 'OperatorPlan' }),
)

/** Body of an adjustment. */
export const operatorAdjustmentSchema = v.pipe(
  v.strictObject({
    id: v.exactOptional(
      name('Chosen by you: a second adjustment with the same id changes nothing. Default: new.'),
    ),
    credits: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(-1_000_000_000),
      v.maxValue(1_000_000_000),
      v.description('Credits to give; negative: to take.'),
      v.check((credits) => credits !== 0, 'must not be 0'),
    ),
    expiresAt: v.exactOptional(
      v.pipe(
        v.string(),
        v.isoTimestamp(),
        v.check(isInCalendar, 'must be a day that exists in the calendar'),
        v.description('When given credits expire. Default: never.'),
      ),
    ),
    reason: reasonSchema,
  }),
  v.check(
    ({ credits, expiresAt: end }) => credits > 0 || end === undefined,
    'expiresAt is only for credits that are given: leave it out',
  ),
  documented({ component: 'OperatorAdjustment' }),
)

const { name: keyName, scopes, expiresAt } = keyInputSchema.entries

/** Body of a new key of an account. */
export const operatorKeyInputSchema = v.pipe(
  v.strictObject({
    name: keyName,
    scopes,
    expiresAt,
    user: v.exactOptional(name('The user that it acts for. Default: the name of the account.')),
    reason: reasonSchema,
  }),
  documented({ component: 'OperatorKeyInput' }),
)

/** Body of a revocation. */
export const operatorRevokeSchema = v.pipe(
  v.strictObject({
    reason: reasonSchema,
    descendants: v.exactOptional(
      v.pipe(v.boolean(), v.description('True: also the keys that it has created.')),
    ),
  }),
  documented({ component: 'OperatorRevoke' }),
)

/** Query of the keys of an account. */
export const operatorKeysQuerySchema = v.strictObject(createdEntries)

/** Query of a verification. */
export const operatorVerifyQuerySchema = v.strictObject({
  account: v.exactOptional(name('Only this account.')),
})

/** Query of the usage of an account. */
export const operatorUsageQuerySchema = v.strictObject({ period: v.exactOptional(periodSchema) })

/** Query of the runs of all accounts. */
export const operatorRunsQuerySchema = v.strictObject({
  account: v.exactOptional(name('Only of this account.')),
  status: v.exactOptional(
    v.pipe(
      v.picklist(['queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled', 'timed_out']),
      v.description('Only of this state.'),
    ),
  ),
  ...listEntries,
})

/** Query of the stuck runs. */
export const operatorStuckQuerySchema = v.strictObject(listEntries)

/** Query of the log of acts. */
export const operatorLogQuerySchema = v.strictObject({
  account: v.exactOptional(name('Only acts about this account.')),
  operation: v.exactOptional(name('An operation, such as `operator.suspend`.')),
  ...createdEntries,
})
