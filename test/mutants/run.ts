import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { array, object, parse, string } from 'valibot'
import { checkCode, plantAll, readMutants, ROOT } from './mutants.ts'

// Plants one bug after the other in a copy of this checkout, and runs the tests that must notice.
// npm run test:mutants [-- --only TEXT]... [-- --timeout SECONDS]
// --only: bugs whose area and name contain the text. --timeout: how long the tests of one bug may
// take. The last line is `N caught, N not caught`; the exit code is 0 only if all were caught.
// However the run ends, its copy and its processes go with it.

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    timeout: { type: 'string', default: '240' },
  },
})
const timeoutMs = Number(values.timeout) * 1_000
if (!(timeoutMs > 0)) throw new Error('--timeout must be a number of seconds')

const report = object({
  testResults: array(
    object({
      name: string(),
      assertionResults: array(object({ fullName: string(), status: string() })),
    }),
  ),
})

/** The result of a run. `unknown`: it says nothing about the tests. */
type Verdict =
  | { readonly is: 'passed' }
  | { readonly is: 'failed'; readonly test: string }
  | { readonly is: 'unknown'; readonly why: string }

const planted = plantAll(
  readMutants().filter(({ name, area }) =>
    values.only.some((text) => `${area} ${name}`.includes(text)),
  ),
)
checkCode(planted)
if (planted.length === 0) throw new Error(`No bug has ${values.only.join(' or ')} in its name`)
let tests: ChildProcess | null = null
process.on('SIGHUP', () => process.exit(129))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
const copy = mkdtempSync(join(tmpdir(), 'seine-mutants-'))
process.on('exit', () => {
  if (tests) endGroup(tests)
  rmSync(copy, { recursive: true, force: true, maxRetries: 10 })
})
for (const file of checkedOut()) cpSync(join(ROOT, file), join(copy, file))
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))

// A test that fails without any bug would catch all bugs.
const allTestFiles = [...new Set(planted.flatMap(({ testFiles }) => testFiles))]
console.log(`${planted.length} bugs; their ${allTestFiles.length} test files without a bug first`)
const before = await runTests(allTestFiles, Infinity)
if (before.is !== 'passed') {
  console.log(
    `Without a bug the tests do not pass: ${before.is === 'failed' ? before.test : before.why}`,
  )
  process.exit(2)
}
let missed = 0
for (const { area, name, file, text, testFiles } of planted) {
  const began = Date.now()
  const original = readFileSync(join(copy, file), 'utf8')
  writeFileSync(join(copy, file), text)
  const verdict = await runTests(testFiles, timeoutMs)
  writeFileSync(join(copy, file), original)
  const seconds = ((Date.now() - began) / 1_000).toFixed(0)
  if (verdict.is === 'failed')
    console.log(`caught (${seconds} s): ${area}: ${name}: ${verdict.test}`)
  else {
    missed++
    const why = verdict.is === 'passed' ? 'all its tests pass' : verdict.why
    console.log(`NOT CAUGHT (${seconds} s): ${area}: ${name}: ${why}, ${file}`)
  }
}
console.log(`${planted.length - missed} caught, ${missed} not caught`)
process.exitCode = missed === 0 ? 0 : 1

/** Files of the checkout as they are now, without those that git ignores. */
function checkedOut(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))
}

async function runTests(files: readonly string[], limitMs: number): Promise<Verdict> {
  const output = join(copy, 'report.json')
  rmSync(output, { force: true })
  const running = spawn(
    process.execPath,
    [
      join(copy, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--bail=1',
      '--reporter=json',
      `--outputFile=${output}`,
      // A test that hangs has noticed the bug.
      '--testTimeout=60000',
      ...files,
    ],
    // A process group of its own: the tests run in processes below this one.
    { cwd: copy, stdio: 'ignore', detached: true },
  )
  tests = running
  const late = limitMs < Infinity ? setTimeout(() => endGroup(running), limitMs) : undefined
  await once(running, 'exit')
  clearTimeout(late)
  tests = null
  if (running.exitCode === null) return { is: 'unknown', why: 'no verdict in time' }
  if (running.exitCode === 0) return { is: 'passed' }
  if (!existsSync(output)) return { is: 'unknown', why: 'the tests could not be run' }
  const { testResults } = parse(report, JSON.parse(readFileSync(output, 'utf8')))
  for (const { name, assertionResults } of testResults)
    for (const { fullName, status } of assertionResults)
      if (status === 'failed')
        return { is: 'failed', test: `${name.slice(name.indexOf('/test/') + 1)}: ${fullName}` }
  return { is: 'unknown', why: 'the tests could not be run' }
}

/** Ends a process and those that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
