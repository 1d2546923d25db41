import { createWriteStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { measure } from './measure.ts'

/** The input of every contender. */
export interface Assignment {
  /** The address of the shop; the crawl begins at its `/`. */
  readonly origin: string
  readonly concurrency: number
  /** Products of the shop: bounds that must not bind can be derived from it. */
  readonly products: number
  /** The file that must hold one JSON object a line when the work is done. */
  readonly out: string
}

/**
 * Runs a contender as the only work of this process and prints its cost as one line of JSON.
 * Loading modules is not counted.
 */
export async function contend(crawl: (assignment: Assignment) => Promise<void>): Promise<void> {
  const { values } = parseArgs({
    options: {
      origin: { type: 'string' },
      concurrency: { type: 'string', default: '50' },
      products: { type: 'string', default: '5000' },
      out: { type: 'string', default: 'rows.jsonl' },
    },
  })
  if (values.origin === undefined)
    throw new Error('--origin is missing: the address of a running bench/site.ts')
  const assignment = {
    origin: values.origin,
    concurrency: Number(values.concurrency),
    products: Number(values.products),
    out: values.out,
  }
  const took = await measure(() => crawl(assignment))
  process.stdout.write(`${JSON.stringify(took)}\n`, () => process.exit(0))
}

/** Writes rows as JSON lines, 64 KiB at a time. */
export function createRowFile(path: string): { write(row: object): void; end(): Promise<void> } {
  const file = createWriteStream(path)
  let pending = ''
  return {
    write(row) {
      pending += `${JSON.stringify(row)}\n`
      if (pending.length < 65_536) return
      file.write(pending)
      pending = ''
    },
    end: () =>
      new Promise((resolve, reject) => file.once('error', reject).end(pending, () => resolve())),
  }
}
