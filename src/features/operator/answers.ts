import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import { balanceSchema, subscriptionSchema } from '../billing/answers.ts'
import { timeSchema } from '../common/list-schema.ts'
import { statusSchema } from '../executions/schema.ts'

const whole = v.pipe(v.number(), v.integer())

const standingSchema = v.pipe(
  v.picklist(['active', 'suspended', 'closed']),
  v.description('The stricter of the states that the operator and the host have set.'),
)

const callerSchema = v.pipe(
  v.strictObject({
    account: v.string(),
    user: v.string(),
    key: v.pipe(v.nullable(v.string()), v.description('`null`: another credential.')),
  }),
  v.description('The operator who did it.'),
  documented({ component: 'OperatorCaller' }),
)

const summaryEntries = {
  id: v.string(),
  state: standingSchema,
  reason: v.pipe(
    v.nullable(v.string()),
    v.description('Why the operator has suspended or closed it; `null`: the operator has not.'),
  ),
  plan: v.strictObject({ id: v.string(), name: v.string() }),
  wallet: v.pipe(whole, v.description('Credits that can be spent.')),
  held: v.pipe(whole, v.description('Credits that are set aside for runs.')),
  runs: v.pipe(
    v.strictObject({ queued: countSchema, running: countSchema, paused: countSchema }),
    v.description('Unfinished runs, up to 1,000 of each state.'),
  ),
}

/** An account in the list. */
export const accountSummarySchema = v.pipe(
  v.strictObject(summaryEntries),
  documented({ component: 'AccountSummary' }),
)

/** An account in the list. */
export type AccountSummary = v.InferOutput<typeof accountSummarySchema>

/** The deleted data of an account. */
export const erasedAccountSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.description('The account.')),
    records: v.pipe(countSchema, v.description('Entries of the store, indexes included.')),
    blobs: v.pipe(countSchema, v.description('Files: rows, kept pages and media.')),
  }),
  documented({ component: 'ErasedAccount' }),
)

/** The state that an operator has set for an account. */
export const accountStateSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.description('The account.')),
    state: v.picklist(['active', 'suspended', 'closed']),
    reason: v.string(),
    since: timeSchema,
    by: callerSchema,
  }),
  documented({ component: 'AccountState' }),
)

/** An account with all that operators need to know. */
export const accountDetailSchema = v.pipe(
  v.strictObject({
    ...summaryEntries,
    set: v.pipe(
      v.nullable(accountStateSchema),
      v.description('The last state that an operator set; `null`: none.'),
    ),
    balance: balanceSchema,
    subscription: subscriptionSchema,
    holds: v.pipe(
      v.strictObject({
        keys: countSchema,
        tasks: countSchema,
        datasets: countSchema,
        bytes: countSchema,
      }),
      v.description('Its keys that are not revoked, tasks, datasets and stored bytes.'),
    ),
  }),
  documented({ component: 'AccountDetail' }),
)

/** An account with all that operators need to know. */
export type AccountDetail = v.InferOutput<typeof accountDetailSchema>

const runEntries = {
  id: v.string(),
  account: v.string(),
  taskId: v.nullable(v.string()),
  status: statusSchema,
  reason: v.nullable(v.strictObject({ code: v.string(), message: v.string() })),
  createdAt: timeSchema,
  startedAt: v.nullable(timeSchema),
  finishedAt: v.nullable(timeSchema),
  updatedAt: v.pipe(timeSchema, v.description('When its state changed last.')),
  pages: v.pipe(countSchema, v.description('Pages that were visited.')),
  failed: v.pipe(countSchema, v.description('Pages that failed or were blocked.')),
  rows: countSchema,
  credits: v.pipe(countSchema, v.description('What it has cost so far.')),
  reserved: v.pipe(countSchema, v.description('Its maximum cost.')),
}

/** A run of any account. */
export const operatorRunSchema = v.pipe(
  v.strictObject(runEntries),
  documented({ component: 'OperatorRun' }),
)

/** A run of any account. */
export type OperatorRun = v.InferOutput<typeof operatorRunSchema>

/** A run that does not move, with the reason. */
export const stuckRunSchema = v.pipe(
  v.strictObject({
    ...runEntries,
    stuck: v.strictObject({
      code: v.pipe(
        v.picklist([
          'no_worker',
          'worker_gone',
          'no_progress',
          'job_lost',
          'job_suspect',
          'job_retried',
          'waiting',
          'left_paused',
        ]),
        v.description('Why it does not move.'),
      ),
      message: v.pipe(v.string(), v.description('For people; its wording may change.')),
      since: timeSchema,
    }),
  }),
  documented({ component: 'StuckRun' }),
)

/** A run that does not move, with the reason. */
export type StuckRun = v.InferOutput<typeof stuckRunSchema>

const partSchema = v.strictObject({
  ok: v.boolean(),
  ms: v.pipe(v.number(), v.minValue(0), v.description('Time of its answer.')),
  error: v.pipe(v.nullable(v.string()), v.description('`null`: it answers.')),
})

/** The jobs of one lane that wait. */
const backlogSchema = v.pipe(
  v.strictObject({
    lane: v.pipe(
      v.picklist(['short', 'remote', 'long']),
      v.description('`long`: runs. `remote`: deliveries. `short`: all other work.'),
    ),
    depth: v.pipe(countSchema, v.description('Jobs that are due and have no worker, up to 1,000.')),
    ageMs: v.pipe(
      v.number(),
      v.minValue(0),
      v.description('How long the oldest of them has been due.'),
    ),
  }),
  documented({ component: 'QueueBacklog' }),
)

/** How the platform is. */
export const operatorHealthSchema = v.pipe(
  v.strictObject({
    ok: v.pipe(v.boolean(), v.description('True if records and blobs can be read.')),
    at: timeSchema,
    store: partSchema,
    blobs: partSchema,
    worker: v.pipe(
      v.strictObject({
        running: v.boolean(),
        aliveAt: v.pipe(v.nullable(v.number()), v.description('Unix milliseconds.')),
      }),
      v.description('The worker of the process that answers.'),
    ),
    queue: v.pipe(
      v.nullable(v.array(backlogSchema)),
      v.description('`null`: the queue cannot be inspected, or does not answer.'),
    ),
    workers: v.pipe(countSchema, v.description('Workers with a sign of life, in all processes.')),
    version: v.pipe(v.string(), v.description('Version of Seine.')),
    runtime: v.string(),
  }),
  documented({ component: 'OperatorHealth' }),
)

/** How the platform is. */
export type OperatorHealth = v.InferOutput<typeof operatorHealthSchema>

const workerSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    startedAt: timeSchema,
    aliveAt: v.pipe(timeSchema, v.description('Its last sign of life; it gives one every 10 s.')),
    holds: v.pipe(countSchema, v.description('All jobs that it holds.')),
    jobs: v.pipe(
      v.array(
        v.strictObject({
          id: v.string(),
          kind: v.string(),
          account: v.nullable(v.string()),
          execution: v.nullable(v.string()),
          since: timeSchema,
        }),
      ),
      v.description('The oldest 100 of them.'),
    ),
  }),
  documented({ component: 'OperatorWorker' }),
)

/** A worker with what it holds. */
export type OperatorWorker = v.InferOutput<typeof workerSchema>

/** All workers that live. */
export const operatorWorkersSchema = v.strictObject({ workers: v.array(workerSchema) })

/** One entry of the log of acts. */
export const administrativeActSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    at: timeSchema,
    operation: v.pipe(v.string(), v.description('Such as `operator.suspend`.')),
    account: v.pipe(v.string(), v.description('The account that it was about.')),
    subject: v.pipe(
      v.nullable(v.string()),
      v.description('Id of the run, key or adjustment; `null`: the account itself.'),
    ),
    by: callerSchema,
    reason: v.string(),
    detail: v.pipe(
      v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
      v.description('What was asked for.'),
    ),
    changed: v.pipe(v.boolean(), v.description('`false`: the state was already as requested.')),
  }),
  documented({ component: 'AdministrativeAct' }),
)

/** One entry of the log of acts. */
export type AdministrativeAct = v.InferOutput<typeof administrativeActSchema>
