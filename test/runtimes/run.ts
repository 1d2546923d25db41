import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleHost } from './bundle-host.ts'
import type { Outcome } from './cases/stage.ts'
import { runEvents } from './events/run-events.ts'
import { createProject } from './project.ts'
import { settleTable, tableOf, type RuntimeFacts } from './runtimes-table.ts'
import { runProcess } from './run-process.ts'
import { COMPATIBILITY_DATE, runWorker } from './run-worker.ts'
import { RUNTIMES, type Run, type Runtime } from './runtimes.ts'
import { startSites } from './sites.ts'

// Runs the same cases on every runtime, against the package as it would be published.
// npm run test:runtimes [-- name…] [-- --linked] [-- --only cases|contracts|crowd|events] [--
// --json FILE] [-- --write] writes the table of docs/runtimes.md

interface Told {
  readonly outcomes: readonly Outcome[]
  readonly facts?: Partial<RuntimeFacts>
}

const root = join(import.meta.dirname, '../..')
const workerd =
  `${createRequire(import.meta.url)('workerd/package.json').version}, compatibility date ` +
  `${COMPATIBILITY_DATE}`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    linked: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const chosen = RUNTIMES.filter(
  ({ name }) =>
    positionals.length === 0 ||
    positionals.some((word) => name.toLowerCase().includes(word.toLowerCase())),
)
if (chosen.length === 0)
  throw new Error(
    `There is no such runtime; there are ${RUNTIMES.map(({ name }) => name).join(', ')}`,
  )

let passed = 0
const rows: RuntimeFacts[] = []
const failures: string[] = []
const first = new Map<string, { readonly runtime: string; readonly text: string }>()

const project = await createProject(root, values.linked)
const sites = await startSites()
try {
  for (const runtime of chosen) {
    let facts: RuntimeFacts = {
      name: runtime.name,
      version: workerd,
      server: '',
      guard: '',
      threads: '',
      kept: [],
      crowd: '',
      driven: '',
      cases: [0, 0],
    }
    for (const one of runtime.runs.filter(
      ({ what }) => values.only === undefined || what === values.only,
    )) {
      const began = performance.now()
      const before = failures.length
      const scenarios = sites.fairCounts.length
      let count = 0
      try {
        const { told, stderr } = await start(runtime, one)
        if (/panic|unhandled/i.test(stderr)) failures.push(`${runtime.name}: ${stderr}`)
        for (const outcome of told.outcomes) note(runtime.name, outcome)
        count = told.outcomes.length
        facts = { ...facts, ...found(one.what, told, count - (failures.length - before), facts) }
      } catch (error) {
        failures.push(`${runtime.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      console.log(
        `${runtime.name}, ${one.what}: ${count - (failures.length - before)} of ${count}` +
          ` in ${((performance.now() - began) / 1_000).toFixed(1)} s`,
      )
      for (const pages of sites.fairCounts.slice(scenarios))
        console.log(`  fair shares: ${pages} pages of the busy account before the other's page`)
      for (const failure of failures.slice(before))
        console.log(`  ${failure.replaceAll('\n', '\n    ')}`)
    }
    if (runtime.isRow !== false) rows.push(facts)
  }
} finally {
  await sites.close()
  await project.remove()
}
const isWhole = chosen.length === RUNTIMES.length && values.only === undefined
if (isWhole && !(await settleTable(join(root, 'docs/runtimes.md'), tableOf(rows), values.write)))
  failures.push(
    'The table in docs/runtimes.md is not what was found: npm run test:runtimes -- --write',
  )
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(reportOf(failures)))
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1

/** A report in the form of Vitest's, as CI lists the failures of all reports at its end. */
function reportOf(messages: readonly string[]) {
  const assertionResults = messages.map((message) => ({
    status: 'failed',
    fullName: message.split('\n', 1)[0],
    failureMessages: [message],
  }))
  return {
    numPassedTests: passed,
    numFailedTests: messages.length,
    testResults: [{ name: 'test/runtimes', assertionResults }],
  }
}

/** The results of a run about its runtime, with the number of passed cases. */
function found(
  what: Run['what'],
  { outcomes, facts = {} }: Told,
  good: number,
  { kept }: RuntimeFacts,
): Partial<RuntimeFacts> {
  switch (what) {
    case 'cases':
      return { ...facts, cases: [good, outcomes.length] }
    case 'contracts':
      return { kept: [...kept, ...keptBy(outcomes)] }
    case 'crowd':
      return good === outcomes.length ? facts : {}
    case 'events':
      return { driven: `${facts.driven ?? ''}, ${good} of ${outcomes.length} cases` }
  }
}

/**
 * Suites all of whose tests passed: `name keeps the … contract › …`. Other suites are not about an
 * adapter.
 */
function keptBy(outcomes: readonly Outcome[]): string[] {
  const suites = outcomes.filter(({ name }) => name.includes(' keeps '))
  const names = new Set(suites.map(({ name }) => nameOf(name)))
  for (const { name, error } of outcomes) if (error !== null) names.delete(nameOf(name))
  return [...names].map((name) => `\`${name}\``)
}

function nameOf(test: string): string {
  return test.split(' keeps ')[0] ?? test
}

async function start(
  { command }: Runtime,
  one: Run,
): Promise<{ readonly told: Told; readonly stderr: string }> {
  if ('events' in one) return { told: await runEvents(one.events, project.folder), stderr: '' }
  if ('worker' in one) return runWorker<Told>(one.worker, one.path, project.folder, sites)
  const file = await bundleHost(one.host, project.folder)
  const writers =
    'writers' in one
      ? await Promise.all(
          one.writers.map(async (writer) => [
            ...writer.command,
            await bundleHost(writer.host, project.folder),
          ]),
        )
      : []
  return runProcess<Told>([...(command ?? []), file], project.folder, {
    SEINE_SITES: JSON.stringify({ shop: sites.shop, slow: sites.slow, fair: sites.fair }),
    SEINE_WRITERS: JSON.stringify(writers),
  })
}

/** Counts an outcome, and compares its texts with those of the first runtime. */
function note(runtime: string, { name, error, same }: Outcome): void {
  const other = Object.entries(same).flatMap(([key, text]) => {
    const figure = first.get(`${name}/${key}`)
    if (!figure) first.set(`${name}/${key}`, { runtime, text })
    return figure && figure.text !== text
      ? [`${key} is not as on ${figure.runtime}: ${text.slice(0, 300)}`]
      : []
  })
  const wrong = error ?? other[0] ?? null
  if (wrong === null) passed++
  else failures.push(`${runtime}: ${name}: ${wrong}`)
}
