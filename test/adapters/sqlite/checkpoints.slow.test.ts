import { EventEmitter } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Checkpoints } from '../../../adapters/common/sqlite/checkpoints.ts'
import type { FromCheckpoints, ToCheckpoints } from '../../../adapters/common/sqlite/checkpoints.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { encodeCommit } from '../../../src/kernel/store-encoding.ts'

// Proves that a thread moves the write-ahead log into the database file, so that no commit waits
// for a disk, and that the log stays short although commits never stop.
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkpoints-'))
  path = join(folder, 'store.db')
})
afterEach(() => rm(folder, { recursive: true }))

test('the log stays short although commits come without a pause, and no commit is lost', async () => {
  const store = createSqliteStore({ path })
  const text = 'x'.repeat(100_000)
  for (let index = 0; index < 800; index++)
    await store.commit({ set: [{ key: ['a', index], value: text }] })
  // 80 MB were written.
  expect((await stat(`${path}-wal`)).size).toBeLessThan(40_000_000)
  await store.close()
  await expect(stat(`${path}-wal`)).rejects.toThrow('ENOENT')
  const again = createSqliteStore({ path })
  expect(await again.list({ prefix: ['a'], limit: 2_000 })).toHaveLength(800)
  await again.close()
})

describe('the thread', () => {
  const LARGE = encodeCommit({ set: [{ key: ['a'], value: 'x'.repeat(5_000_000) }] })
  const SMALL = encodeCommit({ set: [{ key: ['a'], value: 1 }] })

  class Thread extends EventEmitter {
    readonly heard: ToCheckpoints[] = []
    postMessage(message: ToCheckpoints): void {
      this.heard.push(message)
      if (message === 'end') this.say('closed')
    }
    say(message: FromCheckpoints): void {
      this.emit('message', message)
    }
    isRef = true
    terminate(): void {
      this.emit('exit')
    }
    ref(): void {
      this.isRef = true
    }
    unref(): void {
      this.isRef = false
    }
  }

  function open(file = path) {
    const db = new DatabaseSync(file)
    const threads: Thread[] = []
    const checkpoints = new Checkpoints(db, { path: file, durability: 'normal' }, () => {
      const thread = new Thread()
      threads.push(thread)
      return thread
    })
    const pagesOfOwn = () => db.prepare('PRAGMA wal_autocheckpoint').get()?.['wal_autocheckpoint']
    return { db, threads, checkpoints, pagesOfOwn }
  }

  test('starts after the first megabytes, and is the only one to move the log once it is ready', () => {
    const { db, threads, checkpoints, pagesOfOwn } = open()
    checkpoints.note(SMALL)
    expect(threads).toEqual([])
    checkpoints.note(LARGE)
    checkpoints.note(LARGE)
    expect(threads).toHaveLength(1)
    expect(pagesOfOwn()).toBe(1_000)
    threads[0]?.say('ready')
    expect(pagesOfOwn()).toBe(0)
    checkpoints.note(SMALL)
    checkpoints.note(LARGE)
    // It is asked one time after the other.
    expect(threads[0]?.heard).toEqual(['checkpoint'])
    threads[0]?.say({ frames: 10 })
    checkpoints.note(LARGE)
    expect(threads[0]?.heard).toEqual(['checkpoint', 'checkpoint'])
    db.close()
  })

  test('delays commits if it is too far behind', async () => {
    const { db, threads, checkpoints } = open()
    checkpoints.note(LARGE)
    threads[0]?.say('ready')
    checkpoints.note(LARGE)
    threads[0]?.say({ frames: 3_999 })
    expect(checkpoints.isBehind).toBe(false)
    checkpoints.note(LARGE)
    threads[0]?.say({ frames: 4_000 })
    expect(checkpoints.isBehind).toBe(true)
    const caughtUp = checkpoints.catchUp()
    await Promise.resolve()
    expect(threads[0]?.heard).toHaveLength(3)
    // The commit that waits for the thread keeps the process alive.
    expect(threads[0]?.isRef).toBe(true)
    threads[0]?.say({ frames: 4_100 })
    await caughtUp
    expect(threads[0]?.isRef).toBe(false)
    expect(checkpoints.isBehind).toBe(false)
    db.close()
  })

  test('delays commits if it has not answered for long', () => {
    const { db, threads, checkpoints } = open()
    checkpoints.note(LARGE)
    threads[0]?.say('ready')
    for (let index = 0; index < 5; index++) checkpoints.note(LARGE)
    expect(threads[0]?.heard).toEqual(['checkpoint'])
    expect(checkpoints.isBehind).toBe(true)
    db.close()
  })

  test('can die: then commits do its work, and nobody waits for it', async () => {
    const { db, threads, checkpoints, pagesOfOwn } = open()
    checkpoints.note(LARGE)
    threads[0]?.say('ready')
    checkpoints.note(LARGE)
    const caughtUp = checkpoints.catchUp()
    threads[0]?.emit('error', new Error('out of memory'))
    threads[0]?.emit('exit')
    await caughtUp
    expect(pagesOfOwn()).toBe(1_000)
    checkpoints.note(LARGE)
    expect(threads).toHaveLength(1)
    await checkpoints.close()
    db.close()
  })

  test('is not started for a database in memory', () => {
    const { db, threads, checkpoints } = open(':memory:')
    checkpoints.note(LARGE)
    expect(threads).toEqual([])
    db.close()
  })
})
