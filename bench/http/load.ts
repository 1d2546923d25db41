import autocannon from 'autocannon'
import { parseArgs } from 'node:util'

// Loads one server from a process of its own and prints what it saw as one line of JSON.
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    secret: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
})
const result = await autocannon({
  url: values.url,
  duration: Number(values.seconds),
  connections: Number(values.connections),
  headers: { 'x-api-key': values.secret },
})
const { errors, timeouts, non2xx, latency, requests, duration } = result
process.stdout.write(
  JSON.stringify({
    perSecond: requests.total / duration,
    total: requests.total,
    p50: latency.p50,
    p99: latency.p99,
    failed: errors + timeouts + non2xx,
  }) + '\n',
)
