import { parentPort, workerData } from 'node:worker_threads'
import { BEGUN, CLAIMS, WAITS } from '../../adapters/node/page-messages.ts'
import type { ToThread } from '../../adapters/node/page-messages.ts'

// A page thread with pages that end it, or hold it until the test lets it go, listening before the real one does.
if (!(workerData instanceof Int32Array)) throw new Error('A page thread is given its claims')
const claims = workerData
/** What no claim is: the test makes it wait again, and wakes the thread. */
const HELD = 9
parentPort?.on('message', (message: ToThread) => {
  if (message.kind !== 'page') return
  const { pathname } = new URL(message.page.url)
  const at = message.id % CLAIMS
  if (pathname === '/gate' && Atomics.compareExchange(claims, at, WAITS, HELD) === WAITS) Atomics.wait(claims, at, HELD)
  if (!['/exit', '/memory', '/hang'].includes(pathname)) return
  // Begun as the real one would begin it, which then finds it taken.
  if (Atomics.compareExchange(claims, at, WAITS, BEGUN) !== WAITS) return
  if (pathname === '/exit') process.exit(3)
  if (pathname === '/memory') for (const held: number[][] = []; ; ) held.push(Array.from({ length: 10_000 }, (_, nth) => nth))
  for (;;);
})
await import('../../adapters/node/page-thread.ts')
