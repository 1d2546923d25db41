// A process that writes to a store and to blobs, and says which commits are confirmed. A trace of
// its calls has both in one order.
import { writeSync } from 'node:fs'
import { makeFolder } from '../../../adapters/command/make-folder.ts'
import { BATCH, blobOf, COMMITS, entryOf, openFolder, WINDOW } from './cut-workload.ts'

const [folder = '', durability] = process.argv.slice(2)
const mode = durability === 'full' ? 'full' : 'normal'

makeFolder(folder)
let { store, blobs } = openFolder(folder, mode)
for (let i = 0; i < COMMITS; i += BATCH) {
  // The log ends with a store and begins again with the next.
  if (i === COMMITS / 2) {
    await store.close()
    await blobs.close()
    ;({ store, blobs } = openFolder(folder, mode))
  }
  const batch = Array.from({ length: BATCH }, (_, n) => i + n)
  await Promise.all(
    batch.map(async (number) => {
      const { blob } = entryOf(number)
      if (blob !== null) await blobs.put(blob, blobOf(number))
    }),
  )
  await Promise.all(
    batch.map(async (number) => {
      await store.commit({
        set: [
          { key: ['a', 'last'], value: number },
          { key: ['a', 'log', number], value: entryOf(number) },
        ],
        ...(number >= WINDOW && { delete: [['a', 'log', number - WINDOW]] }),
        add: [{ key: ['a', 'sum'], amount: number }],
      })
      writeSync(1, `${number}\n`)
    }),
  )
  for (const number of batch) {
    const { blob } = entryOf(Math.max(0, number - WINDOW))
    if (blob !== null && number >= WINDOW) await blobs.remove(blob)
  }
}
await store.close()
await blobs.close()
