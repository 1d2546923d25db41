import { contend } from '../contender.ts'
import { crawlByHand } from '../hand/crawl.ts'
import { readHandPage } from '../hand/page.ts'

// A program by hand for this one site, with the fastest parts there are on Node: undici's own
// request, htmlparser2's tree and selectors compiled once. No robots, retries, limits, receipt or
// durability.
await contend((assignment) =>
  crawlByHand(assignment, async (path, body) => readHandPage(path, await body.text())),
)
