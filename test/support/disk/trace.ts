import { dirname } from 'node:path'

/** A file or folder, whatever its names are. */
export interface Inode {
  readonly isFolder: boolean
}

/** An operation on files. It ran from line `begin` of the trace to line `end`. */
export type Operation = { readonly begin: number; readonly end: number } & (
  | {
      readonly kind: 'write'
      readonly inode: Inode
      readonly offset: number
      readonly bytes: Uint8Array
    }
  | { readonly kind: 'truncate'; readonly inode: Inode; readonly size: number }
  /** Names that a folder has from then on, or no longer has. `synced`: the folder that has to be. */
  | {
      readonly kind: 'names'
      readonly synced: string
      readonly names: readonly (readonly [path: string, inode: Inode | null])[]
    }
  | { readonly kind: 'sync'; readonly inode: Inode | null; readonly path: string }
)

/** The trace of a process: what it did to files below a folder, and what it printed. */
export interface Trace {
  readonly operations: readonly Operation[]
  /** Lines of the trace. */
  readonly length: number
  /** Texts that it printed, each with the line at whose end that was. */
  readonly printed: readonly { readonly end: number; readonly text: string }[]
}

/** The calls that change files, for `strace -e trace=`. */
export const CALLS =
  'openat,creat,pwrite64,write,ftruncate,fsync,fdatasync,rename,renameat2,unlink,rmdir,mkdir,' +
  // A trace that has one of these is refused: nothing reads them.
  'pwritev,writev,truncate,fallocate,copy_file_range,link,sync_file_range,unlinkat,mkdirat'

interface Call {
  readonly begin: number
  readonly end: number
  readonly name: string
  readonly args: string
  readonly result: string
}

/**
 * Reads what `strace -f -y -xx` wrote of a process.
 *
 * @throws {Error} for a call that changes a file below the folder in a way that is not known here
 */
export function readTrace(log: string, folder: string): Trace {
  const files = new Files(folder)
  const operations: Operation[] = []
  const printed: { end: number; text: string }[] = []
  const lines = log.split('\n')
  for (const call of callsOf(lines)) {
    if (call.result.startsWith('-1')) continue
    if (call.name === 'write' && call.args.startsWith('1<'))
      printed.push({ end: call.end, text: bytesOf(textsOf(call.args)[1]).toString() })
    else operations.push(...files.operationsOf(call))
  }
  return { operations, length: lines.length, printed }
}

/** Calls in the order in which they ended. Those of threads may overlap. */
function* callsOf(lines: readonly string[]): Generator<Call> {
  const open = new Map<string, { begin: number; text: string }>()
  for (const [end, line] of lines.entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? []
    const isOpen = rest.endsWith(' <unfinished ...>')
    if (isOpen) {
      open.set(thread, { begin: end, text: rest.slice(0, -' <unfinished ...>'.length) })
      continue
    }
    const [resumed] = /^<\.\.\. \w+ resumed>/.exec(rest) ?? []
    const start = resumed === undefined ? undefined : open.get(thread)
    const text = start === undefined ? rest : start.text + rest.slice(resumed?.length)
    const [head = '', name = ''] = /^(\w+)\(/.exec(text) ?? []
    const close = text.lastIndexOf(') ')
    if (name === '' || close === -1) continue
    const result = text.slice(text.indexOf('=', close) + 1).trim()
    yield { begin: start?.begin ?? end, end, name, args: text.slice(head.length, close), result }
  }
}

/** The names that files have while a trace is read. */
class Files {
  readonly #names = new Map<string, Inode>()
  readonly #positions = new Map<Inode, number>()
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.#names.set(folder, { isFolder: true })
  }

  operationsOf({ begin, end, name, args, result }: Call): Operation[] {
    const paths = textsOf(args).map((text) => bytesOf(text).toString())
    const [first = '', second = ''] = paths
    const numbers = args.split(', ').map(Number)
    const names = (...changed: (readonly [string, Inode | null])[]): Operation[] => {
      for (const [path, inode] of changed) {
        if (inode === null) this.#names.delete(path)
        else this.#names.set(path, inode)
      }
      return [{ begin, end, kind: 'names', synced: dirname(changed[0]?.[0] ?? ''), names: changed }]
    }
    if (name === 'openat') {
      const path = bytesOf(textsOf(result)[0]).toString()
      if (!this.#isBelow(path) || !args.includes('O_CREAT')) return []
      const present = this.#names.get(path)
      if (present === undefined) return names([path, { isFolder: false }])
      if (!args.includes('O_TRUNC')) return []
      this.#positions.set(present, 0)
      return [{ begin, end, kind: 'truncate', inode: present, size: 0 }]
    }
    if (!this.#isBelow(first)) return []
    const inode = this.#names.get(first) ?? { isFolder: false }
    switch (name) {
      case 'mkdir':
        return names([first, { isFolder: true }])
      case 'unlink':
      case 'rmdir':
        return names([first, null])
      case 'rename':
      case 'renameat2':
        return names([second, inode], [first, null])
      case 'pwrite64':
      case 'write': {
        const position = this.#positions.get(inode) ?? 0
        const offset = name === 'write' ? position : (numbers.at(-1) ?? 0)
        if (name === 'write') this.#positions.set(inode, position + Number(result))
        const bytes = bytesOf(textsOf(args)[1]).subarray(0, Number(result))
        return [{ begin, end, kind: 'write', inode, offset, bytes }]
      }
      case 'ftruncate':
        return [{ begin, end, kind: 'truncate', inode, size: numbers.at(-1) ?? 0 }]
      case 'fsync':
      case 'fdatasync':
        return [{ begin, end, kind: 'sync', inode, path: first }]
      default:
        throw new Error(`The trace has ${name} on ${first}, which nothing reads`)
    }
  }

  #isBelow(path: string): boolean {
    return path === this.#folder || path.startsWith(`${this.#folder}/`)
  }
}

/** The texts of arguments: of quotes, and the paths of open files. */
function textsOf(args: string): string[] {
  return Array.from(args.matchAll(/["<]((?:\\x[\da-f]{2})*)[">]/g), ([, text]) => text ?? '')
}

function bytesOf(text = ''): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}
