import * as v from 'valibot'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { countSchema, documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import { statusSchema, OUTCOMES } from './schema.ts'

const reasonSchema = v.pipe(
  v.strictObject({ code: v.string(), message: v.string() }),
  v.description('The reason for the status.'),
  documented({ component: 'Reason' }),
)

const shareSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

const countsSchema = v.record(v.string(), countSchema)

const anyJson = v.pipe(v.custom<Json>(isJson), documented({ json: {} }))

const sourceSchema = v.pipe(
  v.custom<Json>(isJson),
  v.description('A field of a recipe.'),
  documented({ json: {} }),
)

/** A relocation on the wire. */
export const relocationSchema = v.pipe(
  v.nullable(
    v.pipe(
      v.strictObject({
        status: v.pipe(
          v.picklist(['proposed', 'none', 'repaired']),
          v.description('`repaired`: the recipe of the task now contains it.'),
        ),
        reason: v.nullable(reasonSchema),
        items: v.pipe(
          v.nullable(v.strictObject({ source: v.string(), proposal: v.string() })),
          v.description('The selector of items, if it has to change too.'),
        ),
        fields: v.array(
          v.strictObject({
            field: v.string(),
            source: sourceSchema,
            proposal: sourceSchema,
            reason: v.nullable(reasonSchema),
            pages: v.pipe(
              countSchema,
              v.description('Kept pages with earlier values on which the proposal was tried.'),
            ),
            hits: v.pipe(
              countSchema,
              v.description('Number of these pages on which it gave the earlier values.'),
            ),
            confidence: v.pipe(shareSchema, v.description('`hits` as a share of `pages`.')),
            samples: v.array(
              v.strictObject({
                url: v.string(),
                before: anyJson,
                after: anyJson,
              }),
            ),
          }),
        ),
        at: timeSchema,
        repairedAt: v.nullable(timeSchema),
      }),
      documented({ component: 'Relocation' }),
    ),
  ),
  v.description(
    'Where the values of the columns in `drift` are now on the kept pages, and fields that find ' +
      'them. `null`: no drift, or not known yet.',
  ),
)

/** An execution on the wire. */
export const executionSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    taskId: v.nullable(v.string()),
    templateId: v.pipe(
      v.nullable(v.string()),
      v.description('The template that was run without a task.'),
    ),
    params: v.pipe(
      v.nullable(paramValuesSchema),
      v.description(
        "The values of the recipe's parameters, defaults included, or those that a template was " +
          'run with, up to 10,000 characters.',
      ),
    ),
    status: statusSchema,
    reason: v.nullable(reasonSchema),
    retryOf: v.nullable(v.string()),
    extractOf: v.pipe(
      v.nullable(v.string()),
      v.description('The execution whose kept pages it reads instead of the web.'),
    ),
    failedOf: v.pipe(
      v.nullable(v.string()),
      v.description('The execution whose failed and blocked pages it starts from.'),
    ),
    datasetId: v.pipe(
      v.nullable(v.string()),
      v.description('The dataset that its rows are merged into.'),
    ),
    scheduledFor: v.pipe(
      v.nullable(timeSchema),
      v.description(
        'The scheduled time that it was started for; `null`: it was started by a request.',
      ),
    ),
    createdAt: timeSchema,
    startedAt: v.nullable(timeSchema),
    finishedAt: v.nullable(timeSchema),
    updatedAt: timeSchema,
    counters: v.strictObject({
      discovered: countSchema,
      pending: countSchema,
      visited: countSchema,
      fetched: countSchema,
      unchanged: countSchema,
      duplicate: countSchema,
      skipped_robots: countSchema,
      skipped_scope: countSchema,
      skipped_depth: countSchema,
      skipped_limit: countSchema,
      blocked: countSchema,
      failed: countSchema,
      rows: countSchema,
      bytes: countSchema,
    }),
    kept: v.pipe(
      v.nullable(
        v.strictObject({
          pages: countSchema,
          bytes: v.pipe(countSchema, v.description('Size as stored, compressed.')),
          omitted: v.pipe(
            countSchema,
            v.description('Fetched pages that were not kept, because the byte limit was reached.'),
          ),
        }),
      ),
      v.description('Pages that were kept because the recipe has `page.keep`.'),
    ),
    model: v.pipe(
      v.nullable(
        v.strictObject({ pages: countSchema, inputTokens: countSchema, outputTokens: countSchema }),
      ),
      v.description(
        'Pages that a language model has read for `model` fields, and the tokens used. A page ' +
          'whose text was read before does not count.',
      ),
    ),
    filled: v.pipe(countsSchema, v.description('Rows in which a column has a value, by column.')),
    drift: v.pipe(
      v.array(v.strictObject({ field: v.string(), usual: shareSchema, now: shareSchema })),
      v.description(
        "Columns that are filled in a smaller share of rows than in the task's earlier executions; known at the end.",
      ),
    ),
    relocation: relocationSchema,
    rowsDeletedAt: v.pipe(
      v.nullable(timeSchema),
      v.description('When its rows were deleted; `counters.rows` still says how many there were.'),
    ),
    mediaDeletion: v.pipe(
      v.nullable(v.strictObject({ requestedAt: timeSchema, finishedAt: v.nullable(timeSchema) })),
      v.description(
        'The deletion of the media that its rows name; `finishedAt` is `null` while it is under way.',
      ),
    ),
    errors: v.pipe(countsSchema, v.description('Pages that were blocked or failed, by reason.')),
    cost: v.strictObject({
      credits: countSchema,
      reserved: v.pipe(
        countSchema,
        v.description(
          'Its maximum cost; reserved at the start. Unspent credits return at the end.',
        ),
      ),
    }),
  }),
  documented({ component: 'Execution' }),
)

const timeSpentSchema = (text: string) => v.pipe(v.nullable(countSchema), v.description(text))

/** How a page was requested. */
const visitSchema = v.pipe(
  v.nullable(
    v.pipe(
      v.strictObject({
        tries: v.pipe(
          countSchema,
          v.description('Requests for the page, redirects not counted. 0: robots.txt forbids it.'),
        ),
        redirects: v.pipe(
          v.array(v.strictObject({ url: v.string(), status: v.number() })),
          v.maxLength(10),
          v.description('The redirects of the last try, in order.'),
        ),
        robots: v.pipe(
          v.nullable(
            v.strictObject({
              url: v.string(),
              allowed: v.boolean(),
              rule: v.pipe(
                v.nullable(v.string()),
                v.description('The rule that decides; `null`: no rule matches.'),
              ),
            }),
          ),
          v.description(
            'The verdict of robots.txt on the last address requested; `null`: it was not ' +
              'read, or could not be.',
          ),
        ),
        timings: v.pipe(
          v.strictObject({
            waitMs: v.pipe(
              countSchema,
              v.description('Before the last request: robots.txt, earlier tries and pauses.'),
            ),
            dnsMs: timeSpentSchema('Finding the address of the host.'),
            connectMs: timeSpentSchema('The handshakes of TCP and TLS.'),
            firstByteMs: timeSpentSchema('From the request to the head of its response.'),
            fetchMs: timeSpentSchema('The last request with its redirects and its body.'),
            renderMs: timeSpentSchema('In the browser, including the wait for it.'),
            readMs: timeSpentSchema('Reading the page, also by a model.'),
          }),
          v.description('`null`: not known, or nothing of that kind was done.'),
        ),
        headers: v.pipe(
          v.record(v.string(), v.string()),
          v.description(
            'Of the last response: type, length and encoding of its content, `last-modified`, ' +
              '`etag`, `cache-control`, `server`, `retry-after`.',
          ),
        ),
      }),
      documented({ component: 'PageVisit' }),
    ),
  ),
  v.description(
    'How the page was requested. Long texts are cut, and then end with an ellipsis. `null`: it ' +
      'was not requested, because it waits, was skipped or was read from stored pages, or an ' +
      'earlier version requested it.',
  ),
)

/** One line of the receipt on the wire. */
export const pageReceiptSchema = v.pipe(
  v.strictObject({
    url: v.string(),
    finalUrl: v.nullable(v.string()),
    label: v.string(),
    depth: countSchema,
    listedBy: v.pipe(
      v.nullable(v.picklist(['sitemap', 'feed', 'search'])),
      v.description(
        'The list that named it as a start page; `null`: a start URL of the recipe, or a link.',
      ),
    ),
    outcome: v.picklist(OUTCOMES),
    reason: v.nullable(reasonSchema),
    httpStatus: v.nullable(v.number()),
    rows: countSchema,
    bytes: countSchema,
    durationMs: v.number(),
    credits: countSchema,
    at: v.nullable(timeSchema),
    visit: visitSchema,
  }),
  documented({ component: 'PageReceipt' }),
)

/** `data` of a deletion. */
export const executionDeletedSchema = v.strictObject({ id: v.string(), deleted: v.literal(true) })
