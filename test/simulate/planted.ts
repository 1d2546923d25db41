import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { readBugs } from './bugs.ts'
import type { Bug } from './bugs.ts'

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
const run = promisify(execFile)
const simulator = fileURLToPath(new URL('./run.ts', import.meta.url))

interface Catch {
  readonly seed: number
  readonly promise: string
}

/** The first of these seeds that breaks a promise with the bug. */
async function play({ name, force = '' }: Bug, seed: number, seeds: number): Promise<Catch | null> {
  const stdout = await run(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      simulator,
      ...`--seed ${seed} --seeds ${seeds} --storm ${values.storm} --bail`.split(' '),
      '--bug',
      name,
      '--force',
      force,
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  ).then(
    (output) => output.stdout,
    // The exit code is 1 if a promise was broken.
    (output: { readonly stdout: string }) => output.stdout,
  )
  if (!/^\d+ worlds, /m.test(stdout)) throw new Error(`"${name}": no world was played: ${stdout}`)
  const line = /^seed (\d+): (.*)$/m.exec(stdout)
  return line ? { seed: Number(line[1]), promise: line[2] ?? '' } : null
}

const bugs = readBugs()
let missed = 0
const noted: Bug[] = []
for (const bug of bugs) {
  noted.push(bug)
  if (!`${bug.oracle} ${bug.name}`.includes(values.only)) continue
  // A bug that is new in the list has no seed yet.
  const again = bug.promise === '' ? null : await play(bug, bug.seed, 1)
  const caught = again ?? (await play(bug, 1, Number(values.seeds)))
  if (caught) {
    const what = caught.promise.slice(0, 100)
    console.log(`caught by seed ${caught.seed}: ${bug.oracle}: ${bug.name}: ${what}`)
    const isSame = again?.promise.includes(bug.promise) ?? false
    const promise = isSame ? bug.promise : (caught.promise.split('; ')[0] ?? '').slice(0, 100)
    noted[noted.length - 1] = { ...bug, seed: caught.seed, promise }
  } else {
    missed++
    console.log(`NOT CAUGHT by ${values.seeds} seeds: ${bug.oracle}: ${bug.name}`)
  }
  if (values.write) writeFileSync(new URL('./bugs.json', import.meta.url), textOf(bugs, noted))
}
const tried = bugs.filter(({ oracle, name }) => `${oracle} ${name}`.includes(values.only)).length
console.log(`${tried - missed} caught, ${missed} not caught`)
process.exitCode = missed === 0 ? 0 : 1

function textOf(all: readonly Bug[], changed: readonly Bug[]): string {
  return `${JSON.stringify([...changed, ...all.slice(changed.length)], null, 2)}\n`
}
