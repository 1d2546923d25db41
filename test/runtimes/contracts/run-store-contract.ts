import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'seine'
import { blobsContract, storeContract } from 'seine/testing'
import { createFileBlobs, createUnstorageStore } from 'seine/unstorage'
import { createStorage } from 'unstorage'
import fsLiteDriver from 'unstorage/drivers/fs-lite'
import { createManualClock } from './manual-clock.ts'
import { runDescribed } from './vitest.ts'

type Open = (options: { readonly path: string; readonly clock: { now(): number } }) => Store

/** Tests the embedded stores of a runtime, and unstorage on its files, by their contracts. */
export async function runStoreContract(stores: Readonly<Record<string, Open>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'seine-contract-'))
  let files = 0
  for (const [name, open] of Object.entries(stores)) {
    storeContract(name, async () => {
      const clock = createManualClock()
      const path = join(folder, `${files++}.db`)
      return { store: open({ path, clock }), clock, reopen: async () => open({ path, clock }) }
    })
  }
  storeContract('createUnstorageStore', async () => {
    const clock = createManualClock()
    const base = join(folder, `records-${files++}`)
    const open = () =>
      createUnstorageStore({
        storage: createStorage({ driver: fsLiteDriver({ base }) }),
        clock,
        logger: { warn() {} },
      })
    return { store: open(), clock, reopen: async () => open() }
  })
  blobsContract('createFileBlobs', async () => {
    const dir = join(folder, `blobs-${files++}`)
    return { blobs: createFileBlobs({ dir }), reopen: async () => createFileBlobs({ dir }) }
  })
  const outcomes = await runDescribed()
  rmSync(folder, { recursive: true })
  console.log(`\nRESULT ${JSON.stringify({ outcomes })}`)
}
