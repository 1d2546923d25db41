import { createRobots } from '../../src/engine/site/robots.ts'
import { createDefaultPageProcessor } from './inline-pages.ts'
import { openRowWork } from '../../src/engine/export/open-row-work.ts'
import { openPageWork } from '../../src/engine/page-work.ts'
import { createEgress } from '../../src/engine/egress/egress.ts'
import { createPagesOf } from '../../src/features/ledger/account-plan.ts'
import { OPEN_PLAN } from '../../src/features/ledger/plans.ts'
import { createPreviews } from '../../src/features/previews/service.ts'
import type { Previews, PreviewsOptions } from '../../src/features/previews/service.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Fetcher } from '../../src/ports/fetcher.ts'

const PAGE = new TextEncoder().encode(
  '<title>A page</title><h1>A page</h1><p class="price">1.50</p><a href="/next">next</a>',
)

/** A web on which every URL is the same page. */
const everywhere: Fetcher = {
  capabilities: { pinsAddresses: true },
  resolve: async () => ['93.184.216.34'],
  send: async ({ url }) => ({
    status: url.pathname === '/robots.txt' ? 404 : 200,
    headers: { 'content-type': 'text/html' },
    body: PAGE,
    truncated: false,
  }),
  close: async () => undefined,
}

/**
 * Previews for a host whose clock nobody moves: a pause between two pages takes no time, and a
 * preview never ends for its length.
 */
export function createHostPreviews(
  options: Pick<PreviewsOptions, 'recipes' | 'records' | 'shares' | 'clock' | 'logger'> &
    Partial<PreviewsOptions>,
): Previews {
  const clock: Clock = {
    now: options.clock.now,
    sleep: (ms, signal) => (ms < 20_000 ? Promise.resolve() : options.clock.sleep(ms, signal)),
  }
  const egress = createEgress({ fetcher: everywhere, clock: options.clock })
  return createPreviews({
    findStarts: async () => ({ source: 'nobody', urls: [] }),
    egress,
    robots: createRobots({ egress, clock, userAgentToken: 'Seine' }),
    renderer: null,
    readPdf: () => Promise.reject(new Error('There is no PDF')),
    model: null,
    pagesOf: createPagesOf(
      async () => createDefaultPageProcessor(openPageWork, openRowWork),
      async () => OPEN_PLAN,
    ),
    quotasOf: () => ({ perDay: 1_000_000, perScope: 1_000_000, urls: 5 }),
    ...options,
    clock,
  })
}
