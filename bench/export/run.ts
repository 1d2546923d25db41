import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { measure } from '../measure.ts'
import { CONTENDERS } from './contenders.ts'
import { consumed } from './fixture.ts'

// Runs one contender as the only work of this process, and prints its cost as a line of JSON. Making
// the rows and loading modules is not counted.
const { values } = parseArgs({
  options: {
    contender: { type: 'string', default: 'csv' },
    rows: { type: 'string', default: '1000000' },
    digest: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
  },
})
const contender = CONTENDERS[values.contender]
if (!contender) throw new Error(`There is no contender ${values.contender}`)
// A short run comes first, so that compiling and importing is not measured.
for await (const chunk of contender(10_000))
  if (chunk.length === 0) throw new Error('an empty chunk')
const rows = Number(values.rows)
const live: number[] = []
consumed.rows = 0
const hash = createHash('sha256')
let bytes = 0
const took = await measure(async () => {
  for await (const chunk of contender(rows)) {
    bytes += chunk.length
    if (values.digest) hash.update(chunk)
    if (values.live && consumed.rows >= ((live.length + 1) * rows) / 10) live.push(liveMiB())
  }
})
console.log(
  JSON.stringify({ ...took, bytes, digest: values.digest ? hash.digest('hex') : null, live }),
)

/** The memory after garbage collection. */
function liveMiB(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}
