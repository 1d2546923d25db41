import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTarBlobs } from '../../../../adapters/command/backup/tar-file.ts'
import { temporaryFolder } from '../../../support/command.ts'

function folder(): string {
  const { path, remove } = temporaryFolder()
  onTestFinished(remove)
  return path
}

const LONG = `blobs/media/${'o'.repeat(22)}/${'a'.repeat(64)}.12`
const NAMES = ['a', 'blobs/rows/01J/é ü.jsonl', LONG, `deep/${'漢'.repeat(60)}`, 'empty']
const bytesOf = (name: string): Uint8Array =>
  name === 'empty' ? new Uint8Array() : new TextEncoder().encode(name.repeat(300))

test('files in a tar file are read back by its reader and by tar itself', async () => {
  const dir = folder()
  const path = join(dir, 'x.tar')
  const archive = await createTarBlobs(path, 'write')
  await Promise.all(NAMES.map((name) => archive.put(name, bytesOf(name))))
  await archive.put('gone', bytesOf('gone'))
  await archive.remove('gone')
  expect((await archive.list('')).toSorted()).toEqual(NAMES.toSorted())
  expect(await archive.get(LONG)).toEqual(bytesOf(LONG))
  await archive.close()
  expect(statSync(path).mode & 0o077).toBe(0)

  const read = await createTarBlobs(path, 'read')
  for (const name of NAMES) expect(await read.get(name)).toEqual(bytesOf(name))
  expect(await read.list('blobs/rows/')).toEqual(['blobs/rows/01J/é ü.jsonl'])
  await read.close()
  execFileSync('tar', ['xf', path, '-C', dir])
  for (const name of NAMES)
    expect(new Uint8Array(readFileSync(join(dir, name)))).toEqual(bytesOf(name))
})

test('the whole files in a tar file that was cut off are read', async () => {
  const path = join(folder(), 'x.tar')
  const archive = await createTarBlobs(path, 'write')
  for (const name of NAMES) await archive.put(name, bytesOf(name))
  await archive.close()
  for (let size = statSync(path).size - 1_100; size > 0; size -= 3_001) {
    truncateSync(path, size)
    const read = await createTarBlobs(path, 'read')
    for (const name of await read.list('')) {
      const bytes = await read.get(name)
      expect(bytes === null || Buffer.compare(bytes, bytesOf(name)) === 0).toBe(true)
    }
    expect(await read.get('empty')).toBe(null)
    await read.close()
  }
})
