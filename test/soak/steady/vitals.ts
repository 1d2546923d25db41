import { setInterval } from 'node:timers'
import type { Pulse } from './recording.ts'

// Loaded into the server's process before its script (`node --import`). It tells its parent once a
// second about what only the process itself can see.

const EVERY_MS = 1_000
const MB = 1_048_576

setInterval(() => {
  const resources = process.getActiveResourcesInfo()
  const timers = resources.filter((name) => name === 'Timeout').length
  const brief = resources.filter((name) => name === 'Immediate').length
  const pulse: Pulse = {
    heapMb: process.memoryUsage().heapUsed / MB,
    timers,
    handles: resources.length - timers - brief,
  }
  process.send?.(pulse)
}, EVERY_MS).unref()
