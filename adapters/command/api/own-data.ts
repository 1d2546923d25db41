import { createClient } from 'seine/client'
import type { Platform } from 'seine'
import { CommandError } from '../command-error.ts'

/** Maximum number of accounts that a message names. */
const MOST_NAMED = 3

/**
 * Checks that the data has only one account. A permission from the caller's flags must not apply to
 * jobs of other accounts, whose own server may refuse them. The worker leaves such jobs to other
 * workers, but data without a server has none. A setting of the deployment applies to all accounts.
 *
 * @throws {CommandError} if other accounts have data here
 */
export async function assertOwnData(platform: Platform, account: string): Promise<void> {
  const { operator } = createClient({
    baseUrl: 'http://localhost',
    fetch: (request) => platform.fetch(request),
  })
  const { items } = await operator.accounts({ limit: MOST_NAMED + 1 })
  const others = items.flatMap(({ id }) => (id === account ? [] : [id]))
  if (others.length === 0) return
  const named = others.slice(0, MOST_NAMED).join(', ')
  throw new CommandError(
    `Other accounts also have data here (${named}), and --allow-private-network must not apply ` +
      'to their queued jobs. Use other data (--data DIR), or a server (--url). To allow it for ' +
      'all accounts: SEINE_ALLOW_PRIVATE_NETWORK=1',
  )
}
