import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import promises, { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import { afterAll, expect, it, vi } from 'vitest'
import { createFileBlobs, createUnstorageBlobs } from '../../../adapters/unstorage/index.ts'
import { blobsContract } from '../../contracts/blobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-blobs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
const fresh = (): string => join(folder, String(folders++))

blobsContract('createUnstorageBlobs in memory', async () => ({
  blobs: createUnstorageBlobs({ storage: createStorage() }),
}))

blobsContract('createFileBlobs', async () => {
  const dir = fresh()
  return { blobs: createFileBlobs({ dir }), reopen: async () => createFileBlobs({ dir }) }
})

it('the names of the files differ on every file system, also without regard to case', async () => {
  const dir = fresh()
  const blobs = createFileBlobs({ dir })
  for (const name of ['rows/01J/0', 'rows/01j/0', 'con', 'CON', 'é'])
    await blobs.put(name, new Uint8Array(1))
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted()
  expect(files).toEqual([
    '.parts',
    '=63on.blob',
    '=c3=a9.blob',
    '_c_o_n.blob',
    'rows',
    'rows/01_j',
    'rows/01_j/0.blob',
    'rows/01j',
    'rows/01j/0.blob',
  ])
})

it('readers get whole blobs while others put the same blobs again', async () => {
  const dir = fresh()
  const blobs = createFileBlobs({ dir })
  const size = 16_000_000
  await blobs.put('a', new Uint8Array(size).fill(1))
  const end = new AbortController()
  const writing = (async () => {
    for (let i = 0; i < 5; i++) await blobs.put('a', new Uint8Array(size).fill(1))
    end.abort()
  })()
  for (; !end.signal.aborted; await new Promise((resolve) => setImmediate(resolve))) {
    const { size: length } = statSync(join(dir, 'a.blob'))
    expect(length).toBe(size)
  }
  await writing
  expect((await blobs.get('a'))?.every((byte) => byte === 1)).toBe(true)
  expect(readdirSync(join(dir, '.parts'))).toEqual([])
})

it('a failed put leaves the former blob unchanged', async () => {
  const dir = fresh()
  const blobs = createFileBlobs({ dir })
  // There is a folder in the place of the file, so the last step of the put fails.
  mkdirSync(join(dir, 'a.blob', 'x'), { recursive: true })
  await expect(blobs.put('a', new Uint8Array(1))).rejects.toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/)
  expect(readdirSync(join(dir, '.parts'))).toEqual([])
})

it('partial files of a dead process are removed, and those of a living process are not', async () => {
  const dir = fresh()
  const parts = join(dir, '.parts')
  mkdirSync(parts, { recursive: true })
  const hoursAgo = Date.now() / 1_000 - 2 * 3_600
  for (const name of ['left', 'under-way']) writeFileSync(join(parts, name), 'x')
  utimesSync(join(parts, 'left'), hoursAgo, hoursAgo)
  await createFileBlobs({ dir }).put('a', new Uint8Array(1))
  expect(readdirSync(parts)).toEqual(['under-way'])
})

it('with full durability the bytes and the names are on the disk before a put ends', async () => {
  const dir = fresh()
  const handle = await open(import.meta.filename, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  const normal = createFileBlobs({ dir })
  await normal.put('rows/b', new Uint8Array(1))
  expect(sync).not.toHaveBeenCalled()
  const whenFlushed: boolean[] = []
  sync.mockImplementation(async () => {
    whenFlushed.push(existsSync(join(dir, 'new', 'a.blob')))
  })
  const full = createFileBlobs({ dir, durability: 'full' })
  await full.put('new/a', new Uint8Array(1))
  // First the folder and the one above it: another process may have made it and died. Then the
  // partial file, before it is renamed; then the new folder and the folder above it.
  expect(whenFlushed).toEqual([false, false, false, true, true])
  whenFlushed.length = 0
  await full.put('new/b', new Uint8Array(1))
  expect(whenFlushed).toEqual([true, true, true])
  sync.mockClear()
  await createFileBlobs({ dir: join(dir, 'x', 'y'), durability: 'full' }).put(
    'a',
    new Uint8Array(1),
  )
  // First `y`, `x` and `dir`, as each holds the name of the new folder below it; then the partial
  // file, and `y` with its name.
  expect(sync).toHaveBeenCalledTimes(5)
  sync.mockRestore()
})

const DISK_ERRORS = [
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readonly'],
  ['EACCES', 'readonly'],
  ['EIO', 'failing'],
] as const
/** An error of the system. */
const systemError = (code: string): Error => Object.assign(new Error(code), { code })

it.for(DISK_ERRORS)('a put that fails with %s is refused as %s', async ([code, reason]) => {
  const dir = fresh()
  const handle = await open(import.meta.filename, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  const blobs = createFileBlobs({ dir, durability: 'full' })
  await blobs.put('a', new Uint8Array(1))
  sync.mockRejectedValueOnce(systemError(code))
  const failure = { name: 'StoreFailure', reason, cause: { code } }
  await expect(blobs.put('b', new Uint8Array(1))).rejects.toMatchObject(failure)
  expect(await blobs.list('')).toEqual(['a'])
  await blobs.put('b', new Uint8Array(1))
  sync.mockRestore()
})

it('the name of the folder is flushed again after a flush of it has failed', async () => {
  const dir = fresh()
  const handle = await open(import.meta.filename, 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync')
  await handle.close()
  sync.mockRejectedValueOnce(systemError('EIO'))
  const blobs = createFileBlobs({ dir, durability: 'full' })
  await expect(blobs.put('a', new Uint8Array(1))).rejects.toMatchObject({ reason: 'failing' })
  sync.mockClear()
  await blobs.put('a', new Uint8Array(1))
  expect(sync).toHaveBeenCalledTimes(4)
  sync.mockRestore()
})

it('a blob that cannot be read or removed says why', async () => {
  const blobs = createFileBlobs({ dir: fresh() })
  await blobs.put('large', new Uint8Array(100_000))
  const reading = vi.spyOn(promises, 'readFile').mockRejectedValueOnce(systemError('EIO'))
  await expect(blobs.get('large')).rejects.toMatchObject({ reason: 'failing' })
  const removing = vi.spyOn(promises, 'rm').mockRejectedValueOnce(systemError('EROFS'))
  syncBuiltinESMExports()
  await expect(blobs.remove('large')).rejects.toMatchObject({ reason: 'readonly' })
  removing.mockRestore()
  reading.mockRestore()
  syncBuiltinESMExports()
  await blobs.remove('large')
  expect(await blobs.get('large')).toBe(null)
})

it('files of others in the folder are ignored', async () => {
  const dir = fresh()
  mkdirSync(join(dir, 'rows'), { recursive: true })
  for (const name of [
    '.DS_Store',
    'rows/Thumbs.db',
    'rows/=zz.blob',
    'rows/UPPER.blob',
    'rows/=ff.blob',
  ])
    writeFileSync(join(dir, name), 'x')
  const blobs = createFileBlobs({ dir })
  await blobs.put('rows/1', new Uint8Array(1))
  expect(await blobs.list('')).toEqual(['rows/1'])
  expect(await blobs.list('rows/')).toEqual(['rows/1'])
})

it('a driver that changes bytes is refused', async () => {
  const storage = createStorage()
  const blobs = createUnstorageBlobs({ storage: { ...storage, getItemRaw: async () => 'text' } })
  await expect(blobs.get('a')).rejects.toThrow('raw bytes')
})
