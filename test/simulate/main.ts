import { isMainThread, workerData } from 'node:worker_threads'

// The bundle of the simulator begins here: as the command, and again in the thread of each world.

if (isMainThread) await import('./command.ts')
else {
  const { playOrder } = await import('./thread.ts')
  await playOrder(workerData)
}
