import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { blobOf, COMMITS, entryOf, openFolder, WINDOW } from '../../support/disk/cut-workload.ts'
import { cutPower, LUCKS } from '../../support/disk/power-cut.ts'
import { CALLS, readTrace } from '../../support/disk/trace.ts'
import type { Trace } from '../../support/disk/trace.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const CUTS = Number(process.env['POWER_CUTS'] ?? 48)
const SEED = Number(process.env['POWER_SEED'] ?? 1)

const top = realpathSync(mkdtempSync(join(tmpdir(), 'seine-power-')))
afterAll(() => rmSync(top, { recursive: true, force: true }))

/** Runs a process that writes with this durability, and reads the trace of its calls. */
function record(durability: 'normal' | 'full'): { trace: Trace; folder: string } {
  const folder = join(top, durability)
  const log = join(top, `${durability}.log`)
  mkdirSync(folder)
  execFileSync(
    'strace',
    ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '1000000', '-o', log, '-e', `trace=${CALLS}`].concat(
      ['-e', 'signal=none', process.execPath, '--disable-warning=ExperimentalWarning'],
      [join(import.meta.dirname, '../../support/disk/cut-writer.ts'), folder, durability],
    ),
    { env: { ...process.env, UV_USE_IO_URING: '0' } },
  )
  return { trace: readTrace(readFileSync(log, 'latin1'), folder), folder }
}

interface Cut {
  /** The last commit that was confirmed before the cut; `-1`: none. */
  readonly confirmed: number
  /** The last commit that the disk has. */
  readonly last: number
  /** Faults of the file, of entries and of blobs, as text. */
  readonly file: readonly string[]
  readonly blobs: readonly string[]
}

/** Cuts the power at random lines of a trace, and looks at what is there then. */
async function cut({ trace, folder }: ReturnType<typeof record>, cuts: number): Promise<Cut[]> {
  const bytes = seededRandom(SEED)
  const random = (): number => Buffer.from(bytes(4)).readUInt32LE() / 2 ** 32
  const results: Cut[] = []
  for (let i = 0; i < cuts; i++) {
    const into = join(top, 'cut')
    const line = Math.floor(random() * (trace.length + 1))
    const luck = LUCKS[i % LUCKS.length] ?? 'none'
    cutPower(trace, { line, luck, random, folder, into })
    mkdirSync(into, { recursive: true })
    const confirmed = trace.printed.filter(({ end }) => end < line).map(({ text }) => Number(text))
    results.push({ confirmed: Math.max(-1, ...confirmed), ...(await look(into)) })
    rmSync(into, { recursive: true, force: true })
  }
  return results
}

async function look(folder: string): Promise<Omit<Cut, 'confirmed'>> {
  const file: string[] = []
  const lost: string[] = []
  const { store, blobs } = openFolder(folder, 'full')
  try {
    const [stored, sum] = await store.get([
      ['a', 'last'],
      ['a', 'sum'],
    ])
    const last = typeof stored?.value === 'number' ? stored.value : -1
    if ((sum?.value ?? 0) !== (last * (last + 1)) / 2) file.push(`the sum is ${String(sum?.value)}`)
    const entries = await store.list({ prefix: ['a', 'log'], limit: COMMITS })
    const first = Math.max(0, last - WINDOW + 1)
    if (entries.length !== last + 1 - first) file.push(`${entries.length} entries at ${last}`)
    for (const [position, { key, value }] of entries.entries()) {
      const number = first + position
      const expected = entryOf(number)
      if (key[2] !== number || JSON.stringify(value) !== JSON.stringify(expected))
        file.push(`entry ${String(key[2])} is not ${number}`)
      if (expected.blob === null) continue
      const bytes = await blobs.get(expected.blob)
      if (bytes === null || Buffer.compare(bytes, blobOf(number)) !== 0)
        lost.push(`${expected.blob} has ${String(bytes?.length ?? null)} bytes`)
    }
    if (!(await store.commit({ set: [{ key: ['b'], value: 1 }] }))) file.push('no commit goes on')
    return { last, file: [...file, ...damageOf(folder)], blobs: lost }
  } finally {
    await store.close()
    await blobs.close()
  }
}

function damageOf(folder: string): string[] {
  const db = new DatabaseSync(join(folder, 'seine.db'))
  try {
    const lines = db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row['integrity_check']))
    return lines.filter((line) => line !== 'ok')
  } finally {
    db.close()
  }
}

it('with full durability a power cut loses no confirmed commit and none of its blobs', async () => {
  const recorded = record('full')
  const cuts = await cut(recorded, CUTS)
  expect(cuts.flatMap(({ file, blobs }) => [...file, ...blobs])).toEqual([])
  expect(cuts.filter(({ last, confirmed }) => last < confirmed)).toEqual([])
  // The cuts are no empty ones: they lie all over the run.
  expect(new Set(cuts.map(({ last }) => last)).size).toBeGreaterThan(CUTS / 4)
  console.log(`full: ${cuts.length} cuts of ${recorded.trace.operations.length} operations`)

  // The same disk without what a sync promises: then the cuts show what is lost.
  const operations = recorded.trace.operations.filter(
    ({ kind, ...rest }) =>
      kind !== 'sync' || !('path' in rest && String(rest.path).endsWith('-wal')),
  )
  const without = await cut({ ...recorded, trace: { ...recorded.trace, operations } }, 24)
  expect(without.filter(({ last, confirmed }) => last < confirmed).length).toBeGreaterThan(0)
})

it('with normal durability a power cut takes the last commits, each whole, and says so of blobs', async () => {
  const recorded = record('normal')
  const cuts = await cut(recorded, CUTS)
  expect(cuts.flatMap(({ file }) => file)).toEqual([])
  const lost = cuts.filter(({ last, confirmed }) => last < confirmed).length
  const blobs = cuts.filter((each) => each.blobs.length > 0).length
  console.log(`normal: ${cuts.length} cuts; ${lost} lost commits, ${blobs} lost blobs`)
  // Once a checkpoint has synced them, commits stay.
  expect(Math.max(...cuts.map(({ last }) => last))).toBe(COMMITS - 1)
})
