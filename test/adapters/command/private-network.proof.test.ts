import { expect, it } from 'vitest'
import { openPlatform } from '../../../adapters/command/api/connection.ts'
import { OPERATOR } from '../../../adapters/command/data-directory.ts'
import { temporaryFolder } from '../../support/command.ts'

it('the flag for private addresses is for the caller alone, whoever has an account later', async () => {
  const folder = temporaryFolder()
  const flags = { data: folder.path, 'allow-private-network': true }
  const { platform, close } = await openPlatform(flags, {}, { works: true })
  const later = { ...OPERATOR, account: 'later' }
  // A closed port: the run ends at once.
  const recipe = { start: { urls: ['http://127.0.0.1:9/'] }, extract: { fields: { a: 'h1' } } }
  const runs = await Promise.all(
    [OPERATOR, later].map(async (owner) => {
      const { id } = await platform.api.executions.run(owner, { recipe })
      return { owner, id }
    }),
  )
  await platform.worker.tick({ budgetMs: 5_000 })
  const statuses = await Promise.all(
    runs.map(async ({ owner, id }) => (await platform.api.executions.get(owner, id)).status),
  )
  expect(statuses).toEqual([expect.not.stringMatching(/queued|running/), 'queued'])
  await close()
  folder.remove()
})
