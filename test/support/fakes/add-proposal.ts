import { Change } from '../../../src/records/change.ts'
import type { Records } from '../../../src/features/records.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/**
 * Writes a proposal of an execution of `acme` for another source of the column `title`, like the
 * worker when `source` matches less than before.
 */
export async function addProposal(
  { records, clock }: { readonly records: Records; readonly clock: Clock },
  id: string,
  source: string,
): Promise<void> {
  const execution = await records.executions.get('acme', id)
  if (!execution) throw new Error('no such execution')
  const change = new Change()
  records.executions.update(change, 'acme', execution, {
    ...execution.value,
    relocation: {
      status: 'proposed',
      reason: null,
      items: null,
      fields: [
        {
          field: 'title',
          source,
          proposal: `${source}-now`,
          reason: null,
          pages: 5,
          hits: 5,
          confidence: 1,
          samples: [{ url: 'https://shop.example.com/1', before: source, after: source }],
        },
      ],
      at: clock.now(),
    },
  })
  await records.commit(change)
}
