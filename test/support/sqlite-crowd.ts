import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store.ts'
import { storeCrowd } from '../contracts/store-crowd.ts'
import { storeKills } from '../contracts/store-kills.ts'
import { startWriter } from './writer-process.ts'

/** What a file is checked with, and what opens it here. */
export interface SqliteCrowd {
  readonly open: (path: string) => Store
  /** The commands of the writers: scripts that call `serveWriter` with paths for places. */
  readonly writers: readonly (readonly string[])[]
  /** What SQLite says of a file as a whole. */
  readonly integrityOf: (path: string) => unknown
}

/** Describes what holds of a file that several processes write; `close` ends them and removes the files. */
export function describeSqliteCrowd(name: string, { open, writers, integrityOf }: SqliteCrowd): { close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'seine-crowd-'))
  const at = (place: string): string => join(folder, `${place}.db`)
  const crew = writers.map((command) => startWriter(command, at))
  storeCrowd(name, { open: (place) => open(at(place)), writers: crew.map(({ run }) => run), rounds: 500 })
  let next = 0
  storeKills(name, {
    open: (place) => open(at(place)),
    start: () => startWriter(writers[next++ % writers.length] ?? [], at),
    async intact(place) {
      const found = integrityOf(at(place))
      if (found !== 'ok') throw new Error(`The file is not whole: ${String(found)}`)
    },
  })
  return {
    async close() {
      await Promise.all(crew.map((writer) => writer.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
