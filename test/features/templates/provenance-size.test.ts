import { expect, it } from 'vitest'
import { createRecords } from '../../../src/features/records.ts'
import { runOnSite, templateSites } from '../../support/fakes/template-sites.ts'
import { OWNER } from '../../support/worlds/world.ts'

it('the provenance of rows takes at most a tenth of the rows, over all templates', async () => {
  let [rows, provenance] = [0, 0]
  for (const site of templateSites()) {
    const { execution, world } = await runOnSite(site)
    const segments = await createRecords(world.store).segments.list(OWNER.account, {
      within: [execution.id],
      limit: 100,
    })
    for (const { value } of segments) {
      const blob = await world.blobs.get(value.blob)
      expect(value.provenance).toBeGreaterThan(0)
      provenance += value.provenance ?? 0
      rows += (blob?.length ?? 0) - (value.provenance ?? 0)
    }
  }
  expect(rows).toBeGreaterThan(10_000)
  expect(provenance).toBeLessThanOrEqual(rows / 10)
})
