import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-turn-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = ['acme', 'things', 'one']
const put = (value: number) => ({ set: [{ key, value }] })

describe('the reads of one turn of the event loop', () => {
  it('see commits of this store, and of another one in this process, in between', async () => {
    const path = join(folder, 'same.db')
    const [one, two] = [createSqliteStore({ path }), createSqliteStore({ path })]
    for (let value = 0; value < 20; value++) {
      expect(await (value % 2 === 0 ? one : two).commit(put(value))).toBe(true)
      for (const store of [one, two]) expect((await store.get([key]))[0]?.value).toBe(value)
    }
    await Promise.all([one.close(), two.close()])
  })

  it('see writes of another process in the next turn', async () => {
    const path = join(folder, 'other.db')
    const store = createSqliteStore({ path })
    await store.commit(put(1))
    // A separate connection stands for the other process: no store of this process knows of it.
    const other = new DatabaseSync(path)
    for (let value = 2; value < 12; value++) {
      await store.get([key])
      await turn()
      other.prepare('UPDATE seine_entries SET value = ?').run(String(value))
      expect((await store.get([key]))[0]?.value).toBe(value)
    }
    other.close()
    await store.close()
  })

  it('see writes of another process also within a turn that does not end', async () => {
    const path = join(folder, 'endless.db')
    const store = createSqliteStore({ path })
    await store.commit(put(1))
    const other = new DatabaseSync(path)
    await store.get([key])
    other.prepare('UPDATE seine_entries SET value = 2').run()
    let reads = 0
    // Only microtasks run, so the event loop does not turn all the while.
    for (; (await store.get([key]))[0]?.value !== 2; reads++) if (reads > 1_000) break
    expect(reads).toBeLessThan(300)
    other.close()
    await store.close()
  })

  it('see what a backup within the turn has shown', async () => {
    const path = join(folder, 'backup.db')
    const store = createSqliteStore({ path })
    await store.commit(put(1))
    const other = new DatabaseSync(path)
    await store.get([key])
    other.prepare('UPDATE seine_entries SET value = 2').run()
    for await (const page of store.snapshot?.([[]]) ?? [])
      expect(page.map(({ json }) => json)).toEqual(['2'])
    expect((await store.get([key]))[0]?.value).toBe(2)
    other.close()
    await store.close()
  })

  it('share a snapshot at its end, if they come in further callbacks', async () => {
    const path = join(folder, 'shared.db')
    const store = createSqliteStore({ path })
    await store.commit(put(1))
    const other = new DatabaseSync(path)
    const answers = await new Promise<unknown[]>((resolve) => {
      const reads: ReturnType<typeof store.get>[] = []
      for (let i = 0; i < 4; i++) setImmediate(() => reads.push(store.get([key])))
      setImmediate(() => {
        other.prepare('UPDATE seine_entries SET value = 2').run()
        resolve(Promise.all(reads))
      })
    })
    expect(answers.flat()).toMatchObject([{ value: 1 }, { value: 2 }, { value: 2 }, { value: 2 }])
    other.close()
    await store.close()
  })

  it('hold no snapshot afterwards, as that would prevent the log from being emptied', async () => {
    const path = join(folder, 'log.db')
    const store = createSqliteStore({ path })
    await store.commit(put(1))
    await Promise.all([store.get([key]), store.list({ prefix: ['acme'], limit: 10 })])
    await turn()
    const other = new DatabaseSync(path)
    other.prepare('UPDATE seine_entries SET value = 2').run()
    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
    other.close()
    await store.close()
  })

  it('do not prevent the store from closing', async () => {
    const store = createSqliteStore({ path: join(folder, 'close.db') })
    await store.commit(put(1))
    const reading = store.get([key])
    await store.close()
    expect((await reading)[0]?.value).toBe(1)
    await turn()
  })

  it('are answered if the store is closed while they wait for the end of the turn', async () => {
    const store = createSqliteStore({ path: join(folder, 'waiting.db') })
    await store.commit(put(1))
    const reads: ReturnType<typeof store.get>[] = []
    await new Promise<void>((resolve) => {
      for (let i = 0; i < 3; i++) setImmediate(() => reads.push(store.get([key])))
      setImmediate(() => resolve(store.close()))
    })
    expect((await Promise.all(reads)).flat().map((entry) => entry?.value)).toEqual([1, 1, 1])
  })
})
