import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openDataDirectory } from '../../../adapters/command/data-directory.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-data-'))

/** Counts how often a put into the blobs of a data directory waits for the disk. */
async function flushesOf(...args: Parameters<typeof openDataDirectory>): Promise<number> {
  const handle = await open(import.meta.filename, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  const { store, blobs } = openDataDirectory(...args)
  await blobs?.put('a', new Uint8Array(1))
  await Promise.all([store?.close(), blobs?.close()])
  const { length } = sync.mock.calls
  sync.mockRestore()
  return length
}

test('the durability of a data directory holds for its files as well', async () => {
  expect(await flushesOf(join(folder, 'normal'))).toBe(0)
  expect(await flushesOf(join(folder, 'full'), 'full')).toBeGreaterThan(0)
  rmSync(folder, { recursive: true })
})
