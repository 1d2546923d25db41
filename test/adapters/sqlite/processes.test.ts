import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { fillBank, SUM, sumOfBank } from '../../support/bank.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SCRIPT = fileURLToPath(new URL('./transfers.ts', import.meta.url))

async function bank(name: string): Promise<string> {
  const path = join(folder, name)
  const store = createSqliteStore({ path })
  await fillBank(store)
  await store.close()
  return path
}

/** Starts a process that makes transfers; `stderr` is kept to tell what went wrong. */
function start(path: string, name: string, count?: number): { child: ChildProcess; errors: () => string } {
  const child = spawn(process.execPath, ['--no-warnings', SCRIPT, path, name, ...(count === undefined ? [] : [String(count)])])
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return { child, errors: () => errors }
}

it('is shared by several processes without a lost or a doubled write', async () => {
  const path = await bank('shared.db')
  const processes = ['a', 'b', 'c'].map((name) => start(path, name, 300))
  processes.forEach(({ child }) => child.stdout?.resume())
  const exits = processes.map(async ({ child, errors }) => {
    const [code] = await once(child, 'exit')
    return { code, errors: errors() }
  })
  const store = createSqliteStore({ path })
  let mine = 0
  const ended = new AbortController()
  const all = Promise.all(exits).finally(() => ended.abort())
  while (!ended.signal.aborted) {
    await store.commit({ add: [{ key: ['moved'], amount: 1 }] })
    mine++
    expect(await sumOfBank(store)).toBe(SUM)
    await new Promise(setImmediate)
  }
  expect(await all).toEqual(processes.map(() => ({ code: 0, errors: '' })))
  expect((await store.get([['moved'], ['done', 'a'], ['done', 'b'], ['done', 'c']])).map((entry) => entry?.value)).toEqual([900 + mine, 300, 300, 300])
  expect(await store.list({ prefix: ['log'], limit: 2_000 })).toHaveLength(900)
  await store.close()
})

it('has every commit that was told, whole, after a kill -9 at any moment', async () => {
  const path = await bank('killed.db')
  let told = 0
  for (let round = 0; round < 4; round++) {
    const { child, errors } = start(path, `r${round}`)
    if (!child.stdout) throw new Error('The process has no output')
    let last = 0
    for await (const line of createInterface(child.stdout)) {
      last = Number(line)
      if (last === 40 + round * 37) child.kill('SIGKILL')
    }
    expect(errors()).toBe('')
    expect(last).toBeGreaterThan(0)
    told += last
    const store = createSqliteStore({ path })
    const [moved, done] = await store.get([['moved'], ['done', `r${round}`]])
    expect(Number(done?.value)).toBeGreaterThanOrEqual(last)
    expect(Number(moved?.value)).toBeGreaterThanOrEqual(told)
    told = Number(moved?.value)
    expect(await store.list({ prefix: ['log', `r${round}`], limit: 10_000 })).toHaveLength(Number(done?.value))
    expect(await sumOfBank(store)).toBe(SUM)
    await store.close()
  }
  const db = new DatabaseSync(path)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

it('waits while another connection holds the file, and reads meanwhile', async () => {
  const path = await bank('held.db')
  const store = createSqliteStore({ path })
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const writes = Promise.all([store.commit({ set: [{ key: ['late', 1], value: 1 }] }), store.commit({ check: [{ key: ['late', 1], version: null }], set: [{ key: ['late', 2], value: 2 }] })])
  expect(await store.get([['late', 1]])).toEqual([null])
  await new Promise(setImmediate)
  const third = store.commit({ set: [{ key: ['late', 3], value: 3 }] })
  other.exec('COMMIT')
  other.close()
  expect(await writes).toEqual([true, false])
  expect(await third).toBe(true)
  expect((await store.list({ prefix: ['late'], limit: 9 })).map((entry) => entry.value)).toEqual([1, 3])
  await store.close()
})

it('can be made by several processes at once', async () => {
  const path = join(folder, 'new.db')
  const script = `import { createSqliteStore } from ${JSON.stringify(new URL('../../../adapters/sqlite/index.ts', import.meta.url).href)}
    const store = createSqliteStore({ path: ${JSON.stringify(path)} })
    await store.commit({ add: [{ key: ['n'], amount: 1 }] })
    await store.close()`
  const exits = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = await once(child, 'exit')
      return code
    }),
  )
  expect(exits).toEqual([0, 0, 0, 0])
  const store = createSqliteStore({ path })
  expect((await store.get([['n']]))[0]?.value).toBe(4)
  await store.close()
})
