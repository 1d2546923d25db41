import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { openPlatform } from '../../../adapters/command/api/connection.ts'
import { openDataDirectory } from '../../../adapters/command/data-directory.ts'
import { makeFolder } from '../../../adapters/command/make-folder.ts'
import { openServices } from '../../../adapters/command/open-services.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-data-'))
afterAll(() => rmSync(folder, { recursive: true }))

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
})

test('a store is made in a folder that was not there, which is private', async () => {
  const store = `sqlite:${join(folder, 'a/b/seine.db')}`
  const services = await openServices({ store, blobs: 'memory' }, {})
  await services.options.store?.close?.()
  await services.close()
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
})

test('a folder is made also where its path goes up again from one that is not there', () => {
  makeFolder(join(folder, 'made'))
  for (const path of ['made/absent/../up', 'made/up', 'other/deep/../../made/down'])
    makeFolder(`${folder}/${path}`)
  for (const name of ['made/up', 'made/down'])
    expect(statSync(join(folder, name)).isDirectory()).toBe(true)
})

test('a folder of a store that cannot be made is named', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(
    openServices({ store: `sqlite:${join(folder, 'file/seine.db')}`, blobs: 'memory' }, {}),
  ).rejects.toThrow(`mkdir '${join(folder, 'file')}'`)
})

test('a command that reads makes no store where the name of one is misspelt', async () => {
  const data = join(folder, 'misspelt')
  for (const where of [{ data }, { store: `sqlite:${data}/seine.db`, blobs: 'memory' }])
    await expect(openPlatform(where, {}, { reads: true })).rejects.toThrow(
      `There is no store in ${data}/seine.db: --data or --store names where one is`,
    )
  expect(statSync(data, { throwIfNoEntry: false })).toBeUndefined()
  const { close } = await openPlatform({ data }, {})
  await close()
  await (await openPlatform({ data }, {}, { reads: true })).close()
})
