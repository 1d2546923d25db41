import { parseArgs } from 'node:util'
import { median } from '../measure.ts'
import { answer, createBareWork } from './bare-work.ts'
import { platformOn } from './platform.ts'

// The platform's fetch and the bare work in one process without a socket, in turns. Prints calls a
// second as one line of JSON. `--only fetch` leaves out the others: the bare work answers as this
// checkout does, and an older build may answer with fewer members.
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: '' },
    secret: { type: 'string', default: '' },
    task: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
})
const { store, secret, task, only } = values
const ROUNDS = 10
const work = createBareWork(store)
const platform = platformOn(store)
const request = () =>
  new Request(`http://bench/api/v1/tasks/${task}`, { headers: { 'x-api-key': secret } })
const loops = {
  bare: async () => JSON.stringify((await answer(work, secret, task, undefined)).body),
  fetch: () => platform.fetch(request()),
  text: async () => (await platform.fetch(request())).text(),
  objects: async () => {
    request()
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  },
}
const first = await platform.fetch(request())
if (first.status !== 200) throw new Error(`The platform answers with ${first.status}`)
if (only === undefined && (await first.text()) !== (await loops.bare()))
  throw new Error('The platform and the bare work answer differently')

const measured = Object.entries(loops).filter(([name]) => only === undefined || name === only)
const speeds = new Map(measured.map(([name]): [string, number[]] => [name, []]))
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, loop] of measured) {
    const until = performance.now() + (Number(values.seconds) * 1000) / ROUNDS
    const started = performance.now()
    let calls = 0
    for (; performance.now() < until; calls += 10) for (let i = 0; i < 10; i++) await loop()
    // The first round warms up.
    if (round >= 0) speeds.get(name)?.push((calls / (performance.now() - started)) * 1000)
  }
}
await platform.close()
process.stdout.write(
  `${JSON.stringify(Object.fromEntries([...speeds].map(([name, all]) => [name, median(all)])))}\n`,
  () => process.exit(0),
)
