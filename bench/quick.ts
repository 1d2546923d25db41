import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { CrawlRun } from './crawl/summary.ts'
import type { Fixture } from './http/fixture.ts'
import { median } from './measure.ts'
import { figure, markdownTable } from './report.ts'

// This checkout beside the last release, by the same scripts and in turns: has something become
// slower? It prints ratios and judges nothing. See README.md.
const { values } = parseArgs({
  options: { base: { type: 'string' }, turns: { type: 'string', default: '3' } },
})
const turns = Number(values.turns)
if (!Number.isInteger(turns) || turns < 1) throw new Error('--turns must be a whole number from 1')

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The figures of one turn of one build. */
type Turn = Pick<CrawlRun, 'pagesPerSecond' | 'cpuSecondsPer1000' | 'peakMiB'> & {
  /** Calls a second of `platform.fetch` in process. */
  readonly fetches: number
}

const base = values.base ?? (await lastRelease())
if (base === null)
  process.stdout.write(
    'There is no release to compare with: no tag begins with v. Name a commit with --base.\n',
  )
else await compare(base)

/** The newest tag of a version that this commit follows. `null`: there is none. */
async function lastRelease(): Promise<string | null> {
  const described = run('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { cwd: root })
  return described.then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
}

async function compare(commit: string): Promise<void> {
  await run('npm', ['run', '-s', 'build'], { cwd: root, maxBuffer: 2 ** 24 })
  await mkdir(here('./.work'), { recursive: true })
  const folder = await mkdtemp(here('./.work/quick-'))
  try {
    const builds = [await build(commit, join(folder, 'base')), join(root, 'dist')] as const
    const seen: readonly [Turn[], Turn[]] = [[], []]
    for (let turn = 0; turn < turns; turn++)
      for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const measured = await measureBuild(builds[which], folder)
        seen[which].push(measured)
        process.stderr.write(
          `turn ${turn + 1}/${turns}  ${which === 0 ? commit : 'here'}  ` +
            `${figure(measured.pagesPerSecond)} pages/s, ${figure(measured.fetches)} calls/s\n`,
        )
      }
    process.stdout.write(`${table(commit, ...seen)}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Builds a commit; returns its `dist`. */
async function build(commit: string, target: string): Promise<string> {
  const archive = `${target}.tar`
  await mkdir(target)
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', target])
  const lock = (folder: string) => readFile(join(folder, 'package-lock.json'), 'utf8')
  // Most commits have the packages of the one before.
  if ((await lock(target)) === (await lock(root)))
    await symlink(join(root, 'node_modules'), join(target, 'node_modules'))
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: target })
  await run('npm', ['run', '-s', 'build'], { cwd: target, maxBuffer: 2 ** 24 })
  return join(target, 'dist')
}

async function measureBuild(dist: string, folder: string): Promise<Turn> {
  const work = await mkdtemp(join(folder, 'turn-'))
  const script = async (name: string, args: readonly string[]) => {
    const { stdout } = await run(process.execPath, [here(name), ...args], {
      env: { ...process.env, SEINE_DIST: dist },
      maxBuffer: 2 ** 24,
    })
    return stdout.trimEnd().split('\n').at(-1) ?? ''
  }
  const crawled: { runs: CrawlRun[] } = JSON.parse(
    await script('./crawl.ts', ['--only', 'seine', '--runs', '1', '--pages', '2000']),
  )
  const [crawl] = crawled.runs
  if (crawl === undefined) throw new Error('The crawl has no run')
  const store = join(work, 'seine.db')
  const fixture: Fixture = JSON.parse(await script('./http/make-fixture.ts', ['--store', store]))
  const flags = ['--store', store, '--secret', fixture.secret, '--task', fixture.task]
  const calls: { fetch: number } = JSON.parse(
    await script('./http/in-process.ts', [...flags, '--only', 'fetch', '--seconds', '1']),
  )
  const { pagesPerSecond, cpuSecondsPer1000, peakMiB } = crawl
  return { pagesPerSecond, cpuSecondsPer1000, peakMiB, fetches: calls.fetch }
}

function table(commit: string, before: readonly Turn[], now: readonly Turn[]): string {
  const line = (name: string, key: keyof Turn) => {
    const of = (all: readonly Turn[]) => all.map((turn) => turn[key])
    const ratios = of(now).map((value, turn) => value / (of(before)[turn] ?? NaN))
    return [name, figure(median(of(before))), figure(median(of(now))), figure(median(ratios))]
  }
  return markdownTable(
    ['', commit, 'here', 'ratio'],
    [
      line('crawl, pages/s', 'pagesPerSecond'),
      line('crawl, CPU-s per 1,000 pages', 'cpuSecondsPer1000'),
      line('crawl, peak MiB', 'peakMiB'),
      line('`platform.fetch` in process, calls/s', 'fetches'),
    ],
  )
}
