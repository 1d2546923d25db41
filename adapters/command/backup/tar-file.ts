import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { assertBlobName } from '../../../src/kernel/names.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'

const BLOCK = 512
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The position of a name's bytes in the file. */
interface Entry {
  readonly at: number
  readonly size: number
}

/**
 * Blobs in one tar file (POSIX.1-2001), for `tar tf` and `tar xf`. A removed blob is only
 * forgotten: its bytes stay in the file, but no entry names them.
 */
export async function createTarBlobs(path: string, mode: 'read' | 'write'): Promise<Blobs> {
  // The file is private, because its content is secret.
  const file = await open(path, mode === 'read' || existsSync(path) ? 'r' : 'wx+', 0o600)
  const entries = await entriesIn(file)
  let end = mode === 'write' ? (await file.stat()).size : 0
  let closing: Promise<void> | undefined
  // Puts run one after the other, because each appends to the file.
  let last = Promise.resolve()
  return {
    async get(name) {
      assertBlobName(name)
      const entry = entries.get(name)
      if (!entry) return null
      const bytes = new Uint8Array(entry.size)
      const { bytesRead } = await file.read(bytes, 0, entry.size, entry.at)
      return bytesRead === entry.size ? bytes : null
    },
    async put(name, bytes) {
      assertBlobName(name)
      const append = async (): Promise<void> => {
        const head = headOf(name, bytes.length)
        const padding = new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK)
        await file.writev([head, bytes, padding], end)
        entries.set(name, { at: end + head.length, size: bytes.length })
        end += head.length + bytes.length + padding.length
      }
      await (last = last.then(append))
    },
    async remove(name) {
      entries.delete(name)
    },
    list: async (prefix) => [...entries.keys()].filter((name) => name.startsWith(prefix)),
    close: () =>
      (closing ??= (async () => {
        if (mode === 'write') {
          await file.write(new Uint8Array(2 * BLOCK), 0, 2 * BLOCK, end)
          await file.sync()
        }
        await file.close()
      })()),
  }
}

/** The entries of a file. If the file was cut, those before the cut. */
async function entriesIn(file: FileHandle): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  const head = new Uint8Array(BLOCK)
  let long: string | null = null
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(head, 0, BLOCK, offset)
    if (bytesRead < BLOCK || head[0] === 0) return entries
    const size = Number.parseInt(textAt(head, 124, 12), 8)
    if (!(size >= 0)) return entries
    const body = offset + BLOCK
    const type = textAt(head, 156, 1)
    if (type === 'x') {
      const record = new Uint8Array(size)
      await file.read(record, 0, size, body)
      long = / path=(.*)\n/.exec(decoder.decode(record))?.[1] ?? null
    } else {
      entries.set(long ?? textAt(head, 0, 100), { at: body, size })
      long = null
    }
    offset = body + Math.ceil(size / BLOCK) * BLOCK
  }
}

/** The header of a file. If the name is long, a header with the name comes before it. */
function headOf(name: string, size: number): Uint8Array {
  if (encoder.encode(name).length <= 100) return blockOf(name, size, '0')
  const record = paxRecord(name)
  const padding = new Uint8Array((BLOCK - (record.length % BLOCK)) % BLOCK)
  return Buffer.concat([
    blockOf('PaxHeader', record.length, 'x'),
    record,
    padding,
    blockOf(name.replaceAll(/[^ -~]/g, '_').slice(-100), size, '0'),
  ])
}

/** `<length> path=<name>\n`, whose length counts its own digits. */
function paxRecord(name: string): Uint8Array {
  const rest = encoder.encode(` path=${name}\n`)
  let length = rest.length + 1
  while (length < rest.length + String(length).length) length++
  return Buffer.concat([encoder.encode(String(length)), rest])
}

function blockOf(name: string, size: number, type: '0' | 'x'): Uint8Array {
  const block = new Uint8Array(BLOCK)
  const put = (text: string, offset: number): void => block.set(encoder.encode(text), offset)
  put(name, 0)
  put('0000600\0', 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${size.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  // The checksum counts its own field as spaces.
  put('        ', 148)
  put(type, 156)
  put('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function textAt(block: Uint8Array, offset: number, length: number): string {
  const bytes = block.subarray(offset, offset + length)
  const end = bytes.indexOf(0)
  return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end))
}
