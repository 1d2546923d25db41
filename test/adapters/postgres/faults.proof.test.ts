import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { playShop } from '../../support/stores/play-fault.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { createRemoteStore } from '../../support/stores/remote-store.ts'

const { sql, schema } = await openPostgres()
const own = schema()

// The worker is the same on every store, and test/crawl/run/faults.slow.test.ts has every fault.
// Here are the faults where two processes meet, and the outcome of a commit is not known.
it.each<[Fault, number]>([
  ['fail-after', 2],
  ['crash-after', 4],
  ['stall-before', 6],
])(
  'no row is lost or doubled: %s at commit %i of a run, and at every sixth commit from there',
  async (fault, first) => {
    const store = async (clock: FakeClock): Promise<Store> => {
      await createPostgresStore({ client: sql, schema: own }).get([['made']])
      await sql`TRUNCATE ${sql(own)}.entries`
      return createRemoteStore(createPostgresStore({ client: sql, schema: own, clock }))
    }
    const range = { first, step: 6 }
    const { scenarios, broken } = await playShop(fault, { store, closely: false }, range)
    expect(broken).toEqual([])
    expect(scenarios).toBeGreaterThan(1)
  },
)
