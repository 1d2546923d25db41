import { readdirSync } from 'node:fs'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchPages } from '../../../adapters/command/bench/pages.ts'
import { runCommand, startCommand, temporaryFolder } from '../../support/command.ts'
import { requireBuild } from '../../support/sources/dist.ts'

const measure = v.object({
  what: v.string(),
  count: v.number(),
  seconds: v.pipe(v.number(), v.minValue(0)),
  perSecond: v.number(),
  ofFetching: v.nullable(v.number()),
})
const reportSchema = v.object({
  pages: v.number(),
  concurrency: v.number(),
  latencyMs: v.number(),
  peakMemoryMiB: v.pipe(v.number(), v.minValue(10)),
  measures: v.array(measure),
})

let folder: ReturnType<typeof temporaryFolder>
beforeAll(() => {
  requireBuild()
  folder = temporaryFolder()
})
afterAll(() => folder.remove())

test('the bench crawls every page of its site, prints the results, and leaves no file behind', async () => {
  const { code, stdout } = await runCommand(
    [
      'bench',
      '--pages',
      '43',
      '--concurrency',
      '4',
      '--latency',
      '1',
      '--in',
      folder.path,
      '--json',
    ],
    folder.path,
  )
  expect(code).toBe(0)
  const { measures, ...facts } = v.parse(reportSchema, JSON.parse(stdout))
  expect(facts).toMatchObject({ pages: 43, concurrency: 4, latencyMs: 1 })
  // 3 pages of the list, 40 products.
  expect(measures.map(({ what, count }) => [what, count])).toEqual([
    ['pages fetched without processing', 43],
    ['pages crawled to stored rows', 43],
    ['rows exported as CSV', 40],
    ['API calls, in process', 2_000],
    ['tasks created, one commit each', 500],
  ])
  expect(measures.map(({ ofFetching }) => ofFetching !== null)).toEqual([
    false,
    true,
    false,
    false,
    false,
  ])
  expect(readdirSync(folder.path)).toEqual([])
})

test('at a terminal the results are a table', async () => {
  const { code, stdout } = await runCommand(
    ['bench', '--pages', '2', '--in', folder.path],
    folder.path,
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/^what +count +seconds +a second +of the fetch rate$/m)
  expect(stdout).toMatch(/^pages crawled to stored rows +2 +[\d.]+ +\d+ +[\d.]+$/m)
  expect(stdout).toContain('2 pages, 16 at the same time')
})

test('a refusal names the flag with the wrong value', async () => {
  const refusals = [
    [['--pages', '1'], '--pages must be a whole number from 2 to 100000'],
    [['--concurrency', '0'], '--concurrency must be'],
    [['--latency', '-1'], '--latency'],
    [['--in', `${folder.path}/absent`], 'Cannot make a folder in'],
  ] as const
  for (const [flags, message] of refusals) {
    const { code, stderr } = await runCommand(['bench', ...flags], folder.path)
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
  }
})

test('an interrupted bench deletes its files', async () => {
  const running = startCommand(
    ['bench', '--pages', '500', '--latency', '1000', '--concurrency', '1', '--in', folder.path],
    folder.path,
  )
  await folderAppears()
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([1, 'seine: Interrupted\n'])
  expect(readdirSync(folder.path)).toEqual([])

  async function folderAppears(): Promise<void> {
    while (!readdirSync(folder.path).some((name) => name.startsWith('seine-bench-'))) {
      if (running.child.exitCode !== null) throw new Error((await running.ended).stderr)
      await new Promise(setImmediate)
    }
  }
})

test('the site has exactly the wanted number of pages, and links to each', () => {
  for (const count of [2, 3, 21, 22, 43, 1_000]) {
    const pages = benchPages(count)
    const linked = new Set(
      pages.flatMap(({ html }) =>
        Array.from(
          html.matchAll(/<a class="(?:next|product)" href="([^"]+)"/g),
          ([, path]) => path,
        ),
      ),
    )
    expect(pages.length).toBe(count)
    expect(new Set(pages.map(({ path }) => path)).size).toBe(count)
    expect(pages.filter(({ path }) => path !== '/').every(({ path }) => linked.has(path))).toBe(
      true,
    )
  }
})
