import { createInterface } from 'node:readline'
import type { Store } from '../../../src/ports/store.ts'
import { doCrowdWork } from '../../contracts/store-crowd-work.ts'
import type { CrowdOrder } from '../../contracts/store-crowd-work.ts'
import type { WriterLine } from './writer-process.ts'

/**
 * Makes this process a writer of `startWriter`: it does the orders of stdin, one on each line,
 * until stdin ends.
 */
export async function serveWriter(open: (place: string) => Store): Promise<void> {
  const write = (line: WriterLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  const who = `${navigator.userAgent} ${process.pid}`
  for await (const line of createInterface(process.stdin)) {
    const order: CrowdOrder = JSON.parse(line)
    try {
      write({ who, did: await doCrowdWork(open, order, (commits) => write({ told: commits })) })
    } catch (error) {
      write({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
}
