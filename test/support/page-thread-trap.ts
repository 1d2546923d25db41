import { parentPort, workerData } from 'node:worker_threads'
import { BEGUN, CLAIMS, WAITS } from '../../adapters/node/page-messages.ts'
import type { ToThread } from '../../adapters/node/page-messages.ts'

// A page thread with pages and rows that end it, or hold it until the test releases it. It listens
// before the real thread does.
if (!(workerData instanceof Int32Array)) throw new Error('A page thread is given its claims')
const claims = workerData
/** A value that no claim has: the test sets it and wakes the thread, which then waits again. */
const HELD = 9
parentPort?.on('message', (message: ToThread) => {
  const pathname = trapOf(message)
  if (pathname === null || !('id' in message)) return
  const claim = message.id % CLAIMS
  if (pathname === '/gate' && Atomics.compareExchange(claims, claim, WAITS, HELD) === WAITS)
    Atomics.wait(claims, claim, HELD)
  if (!['/exit', '/memory', '/hang'].includes(pathname)) return
  // Begins like the real thread, which then sees that the page is taken.
  if (Atomics.compareExchange(claims, claim, WAITS, BEGUN) !== WAITS) return
  if (pathname === '/exit') process.exit(3)
  // In small steps: a large one at the limit ends the process, not the thread (nodejs/node#47224).
  if (pathname === '/memory') for (let held: object = {}; ;) held = { held }
  for (;;);
})
/** The path of a page, or the first value of rows. */
function trapOf(message: ToThread): string | null {
  if (message.kind === 'page') return new URL(message.page.url).pathname
  if (message.kind !== 'rows' || !('block' in message.question)) return null
  return (
    /^\["([^"]*)"/.exec(
      new TextDecoder().decode(message.question.block.body.subarray(0, 20)),
    )?.[1] ?? null
  )
}

await import('../../adapters/node/page-thread.ts')
