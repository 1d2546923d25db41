import { readFile, writeFile } from 'node:fs/promises'

const BEGIN = '<!-- runtimes: written by npm run test:runtimes -- --write -->'
const END = '<!-- /runtimes -->'

/** The results of a run about a runtime. */
export interface RuntimeFacts {
  readonly name: string
  readonly version: string
  readonly server: string
  readonly guard: string
  readonly threads: string
  /** The events that begin due work. */
  readonly driven: string
  /** Stores and blobs that passed their contract. */
  readonly kept: readonly string[]
  /** The kinds of writers that wrote to one store at the same time without a loss. */
  readonly crowd: string
  /** The numbers of passed cases and of all cases. */
  readonly cases: readonly [number, number]
}

/** The table of docs/runtimes.md, from the results. */
export function tableOf(runtimes: readonly RuntimeFacts[]): string {
  const rows = runtimes.map(
    ({ name, version, server, driven, guard, threads, kept, crowd, cases }) => [
      name,
      version,
      server,
      driven,
      kept.join(', '),
      crowd,
      guard,
      threads,
      cases.join(' of '),
    ],
  )
  const head = [
    'runtime',
    'tested with',
    'served by',
    'work is started by',
    'stores and blobs that pass their contract',
    'writers to one store',
    'outgoing requests',
    'pages in threads',
    'cases',
  ]
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/**
 * Returns true if the page has this table; `write` writes it. `npm run format` pads the cells, so
 * padding is not compared.
 */
export async function settleTable(path: string, table: string, write: boolean): Promise<boolean> {
  const text = await readFile(path, 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin)
    throw new Error('docs/runtimes.md has no place for the table of runtimes')
  const [head, tail] = [text.slice(0, begin + BEGIN.length), text.slice(end)]
  if (unpadded(text.slice(head.length, end)) === unpadded(table)) return true
  if (write) await writeFile(path, `${head}\n\n${table}\n\n${tail}`)
  return write
}

function unpadded(table: string): string {
  return table
    .trim()
    .replace(/ *\| */g, '|')
    .replace(/-{3,}/g, '---')
}
