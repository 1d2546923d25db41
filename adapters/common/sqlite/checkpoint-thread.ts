import { parentPort, workerData } from 'node:worker_threads'
import process from 'node:process'
import { columnOf } from './database.ts'
import { connectByBun, connectByNode } from './drivers.ts'
import type { CheckpointFile, FromCheckpoints, ToCheckpoints } from './checkpoints.ts'

// The entry of the thread that moves commits from the write-ahead log into the database file. It
// has its own connection and writes nothing else.
const port = parentPort
if (port === null) throw new Error('checkpoint-thread is the entry of a thread of a SQLite store')
// Some Node versions warn that node:sqlite is experimental. The thread that opened the store has
// already warned, unless its host wants no warnings.
process.removeAllListeners('warning')
const { path, durability }: CheckpointFile = workerData
const db = ('bun' in process.versions ? connectByBun : connectByNode)(path)
db.exec(`PRAGMA synchronous = ${durability}; PRAGMA wal_autocheckpoint = 0`)
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const say = (message: FromCheckpoints): void => port.postMessage(message)

port.on('message', (message: ToCheckpoints) => {
  if (message === 'checkpoint') return say({ frames: framesAfterCheckpoint() })
  db.close()
  say('closed')
})
say('ready')

/** Number of frames in the log, whether moved or not, because the log restarts only with a commit. */
function framesAfterCheckpoint(): number {
  try {
    const frames = columnOf(checkpoint.get(), 'log')
    return typeof frames === 'number' ? frames : 0
  } catch {
    // SQLite also ignores a failed checkpoint after a commit: the log is complete, and the next
    // checkpoint tries again.
    return 0
  }
}
