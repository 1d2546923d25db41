import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../../src/ports/store.ts'
import { storeCrowd } from '../../contracts/store-crowd.ts'
import { storeKills } from '../../contracts/store-kills.ts'
import { startWriter } from './writer-process.ts'

/** The openers of files of a kind. */
export interface SqliteCrowd {
  /** Opens a file in this process. */
  readonly open: (path: string) => Store
  /** The commands of the writers: scripts that call `serveWriter` with paths for places. */
  readonly writers: readonly (readonly string[])[]
}

/**
 * Registers the tests of a file that several processes write to; `close` ends them and removes the
 * files.
 */
export function describeSqliteCrowd(
  name: string,
  { open, writers }: SqliteCrowd,
): { close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'seine-crowd-'))
  const fileOf = (place: string): string => join(folder, `${place}.db`)
  const processes = writers.map((command) => startWriter(command, fileOf))
  storeCrowd(name, {
    open: (place) => open(fileOf(place)),
    writers: processes.map(({ run }) => run),
    rounds: 500,
  })
  let next = 0
  storeKills(name, {
    open: (place) => open(fileOf(place)),
    start: () => startWriter(writers[next++ % writers.length] ?? [], fileOf),
    async intact(place) {
      const db = new DatabaseSync(fileOf(place))
      const verdict = db.prepare('PRAGMA integrity_check').get()?.['integrity_check']
      db.close()
      if (verdict !== 'ok') throw new Error(`The file is not whole: ${String(verdict)}`)
    },
  })
  return {
    async close() {
      await Promise.all(processes.map((writer) => writer.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
