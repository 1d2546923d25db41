// A process of its own that works until its input ends. Its argument: a FairPlace as JSON.
import { once } from 'node:events'
import { openFairPlatform } from './open-fair-platform.ts'
import type { FairPlace } from './open-fair-platform.ts'

const place: FairPlace = JSON.parse(process.argv[2] ?? '')
const platform = openFairPlatform(place)
const stop = new AbortController()
const working = platform.worker.run({ signal: stop.signal })
process.stdin.resume()
await once(process.stdin, 'end')
stop.abort()
await working
await platform.close()
