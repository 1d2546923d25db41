import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import type { Json } from '../../kernel/json.ts'
import { rowSchema } from '../results/answers.ts'
import { nextCursorSchema, timeSchema, totalEntries } from '../common/list-schema.ts'
import {
  KINDS,
  goneSchema,
  partialSchema,
  retentionEntry,
  CHANGES_DAYS,
  GONE_DAYS,
} from './schema.ts'

/** A dataset on the wire. */
export const datasetSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    name: v.string(),
    description: v.string(),
    keyFields: v.array(v.string()),
    columns: v.pipe(
      v.array(v.string()),
      v.description(
        'Columns of all runs so far, in order of appearance; before the first run, the key fields.',
      ),
    ),
    gone: goneSchema,
    mergePartial: partialSchema,
    retention: v.pipe(
      v.strictObject({
        changesDays: retentionEntry(CHANGES_DAYS),
        goneDays: retentionEntry(GONE_DAYS),
      }),
      documented({ component: 'DatasetRetention' }),
    ),
    counters: v.pipe(
      v.strictObject({
        items: countSchema,
        present: countSchema,
        gone: countSchema,
        changes: countSchema,
      }),
      v.description('Current counts of present items, gone items, and changes in the feed.'),
    ),
    totals: v.pipe(
      v.strictObject({
        added: countSchema,
        changed: countSchema,
        gone: countSchema,
        returned: countSchema,
      }),
      v.description('All changes so far, by kind.'),
    ),
    lastMerge: v.pipe(
      v.nullable(
        v.strictObject({
          executionId: v.string(),
          at: timeSchema,
          added: countSchema,
          changed: countSchema,
          returned: countSchema,
          unchanged: countSchema,
          duplicate: v.pipe(
            countSchema,
            v.description('Rows with the same key as a later row of the run; the last row counts.'),
          ),
          skipped: v.pipe(
            countSchema,
            v.description(
              'Rows without a value in a key field, or with one too large for an item.',
            ),
          ),
          cut: v.pipe(
            countSchema,
            v.description(
              'Rows of more than 1,000,000 characters as JSON: columns that did not fit were left out of their items.',
            ),
          ),
          gone: countSchema,
        }),
      ),
      v.description('The last run that was merged, and how its rows were merged.'),
    ),
    createdAt: timeSchema,
    updatedAt: timeSchema,
  }),
  documented({ component: 'Dataset' }),
)

/** `data` of a deletion. */
export const datasetDeletedSchema = v.strictObject({ id: v.string(), deleted: v.literal(true) })

const anyJson = v.pipe(
  v.custom<Json>((value) => value !== undefined),
  documented({ json: {} }),
)

/** An item on the wire. */
export const datasetItemSchema = v.pipe(
  v.strictObject({
    id: v.pipe(
      v.string(),
      v.description(
        'The values of the key fields as a JSON list; a long one is cut and ends with a digest.',
      ),
    ),
    state: v.picklist(['present', 'gone']),
    values: rowSchema,
    firstSeenAt: v.pipe(
      timeSchema,
      v.description('End of the first execution with it. All times here are ends of executions.'),
    ),
    lastSeenAt: timeSchema,
    changedAt: timeSchema,
    goneAt: v.nullable(timeSchema),
    firstExecutionId: v.string(),
    lastExecutionId: v.string(),
    origin: v.exactOptional(
      v.pipe(
        v.strictObject({ executionId: v.string(), page: v.nullable(v.string()) }),
        v.description(
          'With `provenance=true`: the execution whose row changed the item last, and the URL of ' +
            'the page of that row. `page` is `null` if it is not known any more.',
        ),
      ),
    ),
  }),
  documented({ component: 'DatasetItem' }),
)

/** `data` of the items. */
export const itemsSchema = v.strictObject({
  items: v.array(datasetItemSchema),
  nextCursor: nextCursorSchema,
  ...totalEntries,
  columns: v.pipe(v.array(v.string()), v.description('Names of the columns, in their order.')),
})

/** A change on the wire. */
export const datasetChangeSchema = v.pipe(
  v.strictObject({
    sequence: v.pipe(
      countSchema,
      v.description('Number of the change; it grows with every change of the dataset.'),
    ),
    kind: v.picklist(KINDS),
    itemId: v.string(),
    key: rowSchema,
    fields: v.pipe(
      v.record(v.string(), v.strictObject({ before: anyJson, after: anyJson })),
      v.description(
        'Columns that differ. For an added item: all with a value. For a gone item: none.',
      ),
    ),
    executionId: v.string(),
    at: timeSchema,
  }),
  documented({ component: 'DatasetChange' }),
)

/** `data` of the feed. */
export const changesSchema = v.strictObject({
  items: v.array(datasetChangeSchema),
  nextCursor: v.pipe(
    v.string(),
    v.description('`cursor` for later changes. Also present at the end of the feed.'),
  ),
  hasMore: v.pipe(
    v.boolean(),
    v.description(
      '`false`: there are no further changes now. With `sort=-at` there never will be.',
    ),
  ),
  missed: v.pipe(
    countSchema,
    v.description('Changes after the cursor that expired before they were read.'),
  ),
})
