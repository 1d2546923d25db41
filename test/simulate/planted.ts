import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readBugs } from './bugs.ts'
import type { Bug } from './bugs.ts'
import { FIRST_BRIEF_SEED, FIRST_LATER_SEED } from './later/later.ts'
import { simulate } from './simulate.ts'

// Plants each bug of bugs.json, one after the other, and plays worlds until one notices:
// npm run simulate:bugs [-- --only TEXT] [--seeds N] [--storm T] [--write]
// It begins with the seed that has caught the bug before. --write: notes new seeds in the list.
// The last line is `N caught, N not caught`; exit code 0: all were caught.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '2000' },
    storm: { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
})

/** Worlds of one thread. */
const TOGETHER = 10

interface Catch {
  readonly seed: number
  readonly promise: string
}

/** The first of these seeds that breaks a promise with the bug. */
async function play(bug: Bug, seed: number, seeds: number): Promise<Catch | null> {
  const { name, force = '', storm = values.storm } = bug
  const options =
    `--seed ${seed} --seeds ${seeds} --storm ${storm} --together ${TOGETHER} --bail`.split(' ')
  const stdout = await simulate(...options, '--bug', name, '--force', force)
  const line = /^seed (\d+)(, only after[^:]*)?: (.*)$/m.exec(stdout)
  if (line === null) return null
  const [, number, isNotAlone, promise = ''] = line
  if (isNotAlone === undefined) return { seed: Number(number), promise }
  // A world that needs those before it in its thread is not played again by its seed.
  const next = Number(number) + 1
  return next < seed + seeds ? play(bug, next, seed + seeds - next) : null
}

const bugs = readBugs()
/** The list as `--write` writes it. */
const updated = [...bugs]
let [caught, missed] = [0, 0]
for (const [index, bug] of bugs.entries()) {
  if (!`${bug.oracle} ${bug.name}`.includes(values.only)) continue
  // A bug that is new in the list has no seed yet.
  const again = bug.promise === '' ? null : await play(bug, bug.seed, 1)
  // Some faults and people are in later worlds only.
  const from = [FIRST_BRIEF_SEED, FIRST_LATER_SEED].find((first) => bug.seed >= first) ?? 1
  const noticed = again ?? (await play(bug, from, Number(values.seeds)))
  if (noticed === null) {
    missed++
    console.log(`NOT CAUGHT by ${values.seeds} seeds: ${bug.oracle}: ${bug.name}`)
    continue
  }
  caught++
  const what = noticed.promise.slice(0, 100)
  console.log(`caught by seed ${noticed.seed}: ${bug.oracle}: ${bug.name}: ${what}`)
  const isSame = again?.promise.includes(bug.promise) ?? false
  const promise = isSame ? bug.promise : (noticed.promise.split('; ')[0] ?? '').slice(0, 100)
  updated[index] = { ...bug, seed: noticed.seed, promise }
  if (values.write)
    writeFileSync(new URL('./bugs.json', import.meta.url), `${JSON.stringify(updated, null, 2)}\n`)
}
console.log(`${caught} caught, ${missed} not caught`)
process.exitCode = missed === 0 ? 0 : 1
