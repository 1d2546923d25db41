import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from './connect.ts'
import { KILL } from './places.ts'
import type { HistoryStore } from './places.ts'
import { startProcess } from './process-writer.ts'

/** Files that several processes write to. */
export async function openSqlitePlace(script: string): Promise<HistoryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-histories-'))
  const connection = { kind: 'sqlite', folder } as const
  return {
    // A snapshot serves all reads of a turn of the event loop.
    staleReads: true,
    faults: [KILL],
    start: () => startProcess(script, connection),
    open: (place) => connect(connection, place),
    prepare: async () => {},
    cause: async () => {},
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
