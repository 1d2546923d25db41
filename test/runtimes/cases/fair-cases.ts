import { playFairShares } from '../../support/fair/play-fair-shares.ts'
import { equal, that } from './expect.ts'
import { CROWD } from './platform-options.ts'
import type { Case } from './stage.ts'
import { tokenFor } from './tokens.ts'

/** Executions of a worker at the same time, by default. */
const PLACES = 4

/**
 * Accounts that share a worker. These come last: many executions are left, which would disturb
 * what comes after them.
 */
export const fairCases: readonly Case[] = [
  {
    name: 'fair: an account with many executions delays a page of another by one page a place at most',
    async run({ clientOf, crowd, fair }) {
      const { user, account } = CROWD
      const allPlaces = PLACES + (crowd.morePlaces ?? 0)
      const { before, status, waiting } = await playFairShares({
        busy: clientOf(await tokenFor(user, { account })),
        other: clientOf(await tokenFor('ola', { account: 'other' })),
        ...crowd,
        site: fair,
        places: PLACES,
        allPlaces,
      })
      that(before <= allPlaces, `${before} pages came first, at most ${allPlaces} may`)
      equal([status, waiting], ['succeeded', 100])
    },
  },
]
