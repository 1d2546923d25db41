import { parentPort } from 'node:worker_threads'
import type { ToThread } from '../../adapters/node/page-messages.ts'

// A page thread with pages that end it, listening before the real one does.
parentPort?.on('message', (message: ToThread) => {
  if (message.kind !== 'page') return
  if (message.page.url.endsWith('/exit')) process.exit(3)
  if (message.page.url.endsWith('/memory')) for (const held: number[][] = []; ; ) held.push(Array.from({ length: 10_000 }, (_, at) => at))
  if (message.page.url.endsWith('/hang')) for (;;);
})
await import('../../adapters/node/page-thread.ts')
