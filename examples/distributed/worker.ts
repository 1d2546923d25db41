import { openPlatform } from './open-platform.ts'

// The process that works. Any number of them may be started, ended and killed at any time.
const platform = openPlatform()
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort())
console.log('working')
await platform.worker.run({ signal: stop.signal })
await platform.close()
