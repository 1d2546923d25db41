import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Inode, Operation, Trace } from './trace.ts'

/** A disk writes so many bytes whole or not at all. */
const SECTOR = 512

/** Which of the operations that were not synced a disk has after a power cut. */
export type Luck = 'none' | 'all' | 'first' | 'some'
/** All of {@link Luck}. */
export const LUCKS: readonly Luck[] = ['none', 'all', 'first', 'some']

/**
 * Writes the files that a disk may have if the power fails at a line of the trace: all that was
 * synced by then and, by luck, some of the rest. A write is torn at sectors. A file may have its
 * new size and zeros in it. A name is there only if its folder was synced, or by luck.
 */
export function cutPower(
  { operations }: Pick<Trace, 'operations'>,
  options: {
    readonly line: number
    readonly luck: Luck
    readonly random: () => number
    readonly folder: string
    readonly into: string
  },
): void {
  const { line, luck, random, folder, into } = options
  const begun = operations.filter(({ begin }) => begin < line)
  const syncs = begun.filter(
    (operation): operation is Operation & { kind: 'sync' } =>
      operation.kind === 'sync' && operation.end < line,
  )
  const lastSync = new Map<Inode | string, number>()
  for (const { inode, path, begin } of syncs)
    for (const subject of [path, ...(inode === null ? [] : [inode])])
      lastSync.set(subject, Math.max(begin, lastSync.get(subject) ?? -1))
  const isSynced = (operation: Operation): boolean => {
    if (operation.kind === 'sync') return true
    const subject = operation.kind === 'names' ? operation.synced : operation.inode
    return operation.end < (lastSync.get(subject) ?? -1)
  }
  const pending = begun.filter((operation) => !isSynced(operation))
  const end = Math.floor(random() * (pending.length + 1))
  const first = new Set(pending.slice(0, end))
  const share = random()
  const isOnDisk = (operation: Operation): boolean =>
    luck === 'all' ||
    (luck === 'first' && first.has(operation)) ||
    (luck === 'some' && random() < share)
  const names = new Map<string, Inode>([[folder, { isFolder: true }]])
  const contents = new Map<Inode, Content>()
  for (const operation of begun) {
    if (operation.kind === 'sync') continue
    const synced = isSynced(operation)
    if (operation.kind === 'names') {
      if (!synced && !isOnDisk(operation)) continue
      for (const [path, inode] of operation.names) {
        if (inode === null) names.delete(path)
        else names.set(path, inode)
      }
      continue
    }
    const content = contents.get(operation.inode) ?? new Content()
    contents.set(operation.inode, content)
    if (operation.kind === 'truncate') {
      if (synced || isOnDisk(operation)) content.resize(operation.size)
    } else if (synced) content.write(operation.offset, operation.bytes)
    else {
      const { offset, bytes } = operation
      if (luck !== 'none' && random() < 0.3) content.grow(offset + bytes.length)
      const whole = isOnDisk(operation)
      for (let from = 0; from < bytes.length;) {
        const to = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR))
        const isTorn = luck === 'some' && share > 0.5
        if (isTorn ? random() < share : whole)
          content.write(offset + from, bytes.subarray(from, to))
        from = to
      }
    }
  }
  const isReached = (path: string): boolean =>
    path === folder || (names.get(dirname(path))?.isFolder === true && isReached(dirname(path)))
  for (const [path, inode] of names) {
    // The index of the log is shared memory: no disk has to have it.
    if (!isReached(path) || path.endsWith('-shm')) continue
    const copy = join(into, path.slice(folder.length))
    if (inode.isFolder) mkdirSync(copy, { recursive: true })
    else {
      mkdirSync(dirname(copy), { recursive: true })
      writeFileSync(copy, contents.get(inode)?.bytes ?? new Uint8Array())
    }
  }
}

/** The bytes of a file. */
class Content {
  #buffer = Buffer.alloc(4_096)
  #size = 0

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size)
  }

  write(offset: number, bytes: Uint8Array): void {
    this.grow(offset + bytes.length)
    this.#buffer.set(bytes, offset)
  }

  grow(size: number): void {
    if (size > this.#size) this.resize(size)
  }

  resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#buffer.length))
      larger.set(this.bytes)
      this.#buffer = larger
    }
    if (size < this.#size) this.#buffer.fill(0, size, this.#size)
    this.#size = size
  }
}
