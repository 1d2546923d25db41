import * as v from 'valibot'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { listEntries } from '../common/list-schema.ts'

/** A selector of items. The service checks it as a recipe's `extract.items`. */
const itemsSchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_000),
  v.description('CSS selector of the items. Absent: the whole page.'),
)

/** Body of a question about elements. */
export const pointInputSchema = v.pipe(
  v.strictObject({
    elements: v.pipe(
      v.array(wholeNumber(0, 10_000_000)),
      v.minLength(1),
      v.maxLength(2),
      v.description('`data-seine-index` of an element, or of two in two items of a list.'),
    ),
    items: v.exactOptional(itemsSchema),
  }),
  documented({ component: 'SnapshotPoint' }),
)

/** Query of the files of a snapshot. */
export const filesQuerySchema = v.strictObject(listEntries)
