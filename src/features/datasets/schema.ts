import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import type { Json } from '../../kernel/json.ts'
import { isReservedName } from '../../kernel/names.ts'
import { exportQuerySchema, fieldsSchema } from '../common/export-schema.ts'
import { rowSchema } from '../results/schema.ts'
import { listEntries, nextCursorSchema, timeSchema } from '../common/list-schema.ts'

const KINDS = ['added', 'changed', 'gone', 'returned'] as const
const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
const nameSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(200),
  v.description('For people.'),
)
const descriptionSchema = v.pipe(v.string(), v.maxLength(2_000))
const columnSchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(128),
  v.check((name) => !isReservedName(name), 'is not allowed as a column name'),
)
const keyFieldsSchema = v.pipe(
  v.array(columnSchema),
  v.minLength(1),
  v.maxLength(20),
  v.check((fields) => new Set(fields).size === fields.length, 'names a column twice'),
  v.description(
    '1–20 columns that together identify an item. A row without a value in one is skipped.',
  ),
)
const goneSchema = v.pipe(
  v.picklist(['never', 'complete-runs', 'always']),
  v.description(
    "When an item that is missing from a task's next run is marked as gone. " +
      '`complete-runs` (default): only after a complete run, which succeeded, reached no ' +
      "limit, used the task's own start URLs, and had no failed or blocked pages except 404 " +
      'and 410. `always`: after every run that succeeded.',
  ),
)
const partialSchema = v.pipe(
  v.boolean(),
  v.description(
    'Whether rows of failed, timed-out and cancelled runs are merged too. Such runs mark ' +
      'no item as gone. Default `false`.',
  ),
)
const daysSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650))
const retentionEntry = (text: string) => v.pipe(v.nullable(daysSchema), v.description(text))
const CHANGES_DAYS = 'Days that changes stay in the feed; `null`: for ever.'
const GONE_DAYS = 'Days that items stay after they have gone; `null`: for ever.'
const retentionInputSchema = v.pipe(
  v.strictObject({
    changesDays: v.exactOptional(retentionEntry(CHANGES_DAYS)),
    goneDays: v.exactOptional(retentionEntry(GONE_DAYS)),
  }),
  v.description('How long old changes and items are kept. Default: for ever.'),
  documented({ component: 'DatasetRetentionInput' }),
)

/** Body of a new dataset. */
export const datasetInputSchema = v.pipe(
  v.strictObject({
    name: nameSchema,
    keyFields: keyFieldsSchema,
    description: v.exactOptional(descriptionSchema),
    gone: v.exactOptional(goneSchema),
    mergePartial: v.exactOptional(partialSchema),
    retention: v.exactOptional(retentionInputSchema),
  }),
  documented({ component: 'DatasetInput' }),
)

/** Body of a change. Absent members stay unchanged. The key of a dataset cannot change. */
export const datasetPatchSchema = v.pipe(
  v.strictObject({
    name: v.exactOptional(nameSchema),
    description: v.exactOptional(descriptionSchema),
    gone: v.exactOptional(goneSchema),
    mergePartial: v.exactOptional(partialSchema),
    retention: v.exactOptional(retentionInputSchema),
  }),
  v.check((patch) => Object.keys(patch).length > 0, 'name at least one field to change'),
  v.description(
    'Fields that are absent do not change; at least one is needed. The key fields cannot ' +
      'be changed.',
  ),
  documented({ component: 'DatasetPatch' }),
)

/** Query of the list. */
export const datasetQuerySchema = v.strictObject({ ...listEntries })

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
          skipped: v.pipe(countSchema, v.description('Rows without a value in a key field.')),
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

const stateSchema = v.pipe(
  v.picklist(['present', 'gone', 'all']),
  v.description('Which items to list; default `present`.'),
)

/** Query of the items. */
export const itemsQuerySchema = v.strictObject({
  state: v.exactOptional(stateSchema),
  fields: v.exactOptional(fieldsSchema),
  ...listEntries,
})

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
      v.description(
        'End of the first execution that had it. The other times are ends of executions too.',
      ),
    ),
    lastSeenAt: timeSchema,
    changedAt: timeSchema,
    goneAt: v.nullable(timeSchema),
    firstExecutionId: v.string(),
    lastExecutionId: v.string(),
  }),
  documented({ component: 'DatasetItem' }),
)

/** `data` of the items. */
export const itemsSchema = v.strictObject({
  items: v.array(datasetItemSchema),
  nextCursor: nextCursorSchema,
  columns: v.pipe(v.array(v.string()), v.description('Names of the columns, in their order.')),
})

/** Query of the feed of changes. */
export const changesQuerySchema = v.strictObject({
  kinds: v.exactOptional(
    v.pipe(
      v.string(),
      v.maxLength(100),
      documented({
        json: {
          type: 'string',
          description: `Kinds of change, separated by commas: ${KINDS.join(', ')}; absent: all.`,
        },
      }),
      v.transform((text) => text.split(',')),
      v.array(v.picklist(KINDS)),
    ),
  ),
  from: v.exactOptional(
    v.pipe(
      v.picklist(['start', 'now']),
      v.description(
        'Where to start without a cursor. `start` (default): the oldest change kept; `now`: ' +
          'only later changes.',
      ),
    ),
  ),
  ...listEntries,
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
  missed: v.pipe(
    countSchema,
    v.description('Changes after the cursor that expired before they were read.'),
  ),
})

/** Query of an export. */
export const datasetExportQuerySchema = v.strictObject({
  ...exportQuerySchema.entries,
  state: v.exactOptional(stateSchema),
})
