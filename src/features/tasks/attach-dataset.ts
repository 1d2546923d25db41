import { badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../../records/records.ts'
import type { Recipes } from '../recipes/service.ts'

/** What a task gives to a dataset, and which one. */
export interface Attachment {
  readonly datasetId: string
  readonly recipe: Json
}

/**
 * Adds a task's tie to its dataset to the commit that makes it. The dataset is written as it is, so
 * that its deletion and the tie cannot pass each other by.
 *
 * @throws {PlatformError} 400 at `datasetId` for an unknown dataset, and for one with key fields
 *   that the recipe has no column for
 */
export async function attachDataset(
  records: Records,
  change: Change,
  account: string,
  { datasetId, recipe }: Attachment,
  recipes: Recipes,
): Promise<void> {
  const dataset = await records.datasets.get(account, datasetId)
  if (!dataset) throw badRequest([{ path: 'datasetId', message: 'there is no such dataset' }])
  const columns = recipes.columns(recipe)
  // What a recipe leaves to its first page is not known yet; rows without a key are then skipped
  // and counted.
  const missing =
    columns.length === 0 ? [] : dataset.value.keyFields.filter((field) => !columns.includes(field))
  if (missing.length > 0)
    throw badRequest([
      { path: 'datasetId', message: `the recipe has no column for its key: ${missing.join(', ')}` },
    ])
  records.datasets.update(change, account, dataset, dataset.value)
}
