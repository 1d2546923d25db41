import { parentPort, workerData } from 'node:worker_threads'
import { BEGUN, CLAIMS, WAITS } from '../../adapters/node/page-messages.ts'
import type { ToThread } from '../../adapters/node/page-messages.ts'

// A page thread with pages that end it, listening before the real one does.
if (!(workerData instanceof Int32Array)) throw new Error('A page thread is given its claims')
const claims = workerData
parentPort?.on('message', (message: ToThread) => {
  if (message.kind !== 'page') return
  const { pathname } = new URL(message.page.url)
  if (!['/exit', '/memory', '/hang'].includes(pathname)) return
  // Begun as the real one would begin it, which then finds it taken.
  if (Atomics.compareExchange(claims, message.id % CLAIMS, WAITS, BEGUN) !== WAITS) return
  if (pathname === '/exit') process.exit(3)
  if (pathname === '/memory') for (const held: number[][] = []; ; ) held.push(Array.from({ length: 10_000 }, (_, at) => at))
  for (;;);
})
await import('../../adapters/node/page-thread.ts')
