// A process that does the orders of its stdin on a store, one on each line, and writes what it did.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { connect } from './connect.ts'
import type { Connection } from './connect.ts'
import { doOrder } from './do-order.ts'
import type { HistoryOrder } from './places.ts'

const connection: Connection = JSON.parse(process.argv[2] ?? '')
for await (const line of createInterface(process.stdin)) {
  const order: HistoryOrder = JSON.parse(line)
  try {
    await doOrder(order, (place) => connect(connection, place), write)
    write({ ended: true })
  } catch (error) {
    write({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

/**
 * Writes a line whole before it returns, so that a process which is killed has said what it was
 * about to do. The pipe refuses for a moment where its reader is behind.
 */
function write(line: unknown): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`)
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
}
