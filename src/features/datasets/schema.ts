import * as v from 'valibot'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { isReservedName } from '../../kernel/names.ts'
import { exportEntries, fieldsSchema } from '../common/export-schema.ts'
import { countedEntries, createdEntries, listEntries, namesAField } from '../common/list-schema.ts'

export const KINDS = ['added', 'changed', 'gone', 'returned'] as const

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

export const goneSchema = v.pipe(
  v.picklist(['never', 'complete-runs', 'always']),
  v.description(
    "When an item that is missing in a task's next run is marked as gone. " +
      '`complete-runs` (default): only after a complete run, which succeeded, reached no ' +
      "limit, used the task's own start URLs, and had no failed or blocked pages except 404 " +
      'and 410. `always`: after every run that succeeded.',
  ),
)

export const partialSchema = v.pipe(
  v.boolean(),
  v.description(
    'Whether rows of failed, timed-out and cancelled runs are merged too. Such runs mark ' +
      'no item as gone. Default `false`.',
  ),
)

const daysSchema = wholeNumber(1, 3_650)

export const retentionEntry = (text: string) => v.pipe(v.nullable(daysSchema), v.description(text))

export const CHANGES_DAYS = 'Days that changes stay in the feed; `null`: for ever.'

export const GONE_DAYS = 'Days that items stay after they have gone; `null`: for ever.'

const retentionInputSchema = v.pipe(
  v.strictObject({
    changesDays: v.exactOptional(retentionEntry(CHANGES_DAYS)),
    goneDays: v.exactOptional(retentionEntry(GONE_DAYS)),
  }),
  v.description('How long old changes and items are kept. Default: for ever.'),
  documented({ component: 'DatasetRetentionInput' }),
)

const others = {
  description: v.exactOptional(descriptionSchema),
  gone: v.exactOptional(goneSchema),
  mergePartial: v.exactOptional(partialSchema),
  retention: v.exactOptional(retentionInputSchema),
}

/** Body of a new dataset. */
export const datasetInputSchema = v.pipe(
  v.strictObject({
    name: nameSchema,
    keyFields: keyFieldsSchema,
    ...others,
  }),
  documented({ component: 'DatasetInput' }),
)

/** Body of a change. Absent members stay unchanged. The key of a dataset cannot change. */
export const datasetPatchSchema = v.pipe(
  v.strictObject({
    name: v.exactOptional(nameSchema),
    ...others,
  }),
  namesAField(),
  v.description(
    'Fields that are absent do not change; at least one is needed. The key fields cannot ' +
      'be changed.',
  ),
  documented({ component: 'DatasetPatch' }),
)

/** Query of the list. */
export const datasetQuerySchema = v.strictObject(createdEntries)

const stateSchema = v.pipe(
  v.picklist(['present', 'gone', 'all']),
  v.description('Which items to list; default `present`.'),
)

/** Query of the items. */
export const itemsQuerySchema = v.strictObject({
  state: v.exactOptional(stateSchema),
  fields: v.exactOptional(fieldsSchema),
  provenance: v.exactOptional(
    v.pipe(
      v.picklist(['true', 'false']),
      v.description('`true` adds `origin` to each item.'),
      v.transform((text) => text === 'true'),
    ),
  ),
  ...countedEntries,
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
  sort: v.exactOptional(
    v.pipe(
      v.picklist(['at', '-at']),
      v.description(
        '`at` (default): the feed, oldest first. `-at`: newest first, to the oldest change kept; ' +
          'not with `from`.',
      ),
    ),
  ),
  ...listEntries,
})

/** Query of an export. */
export const datasetExportQuerySchema = v.strictObject({
  ...exportEntries,
  state: v.exactOptional(stateSchema),
})
