import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatted } from '../support/sources/formatted.ts'
import { root } from '../support/sources/sources.ts'
import { entries, runEvaluations } from './run-evals.ts'
import { linesOf, offeredOf, tableOf, tokens } from './table.ts'

const PAGE = join(root, 'docs/agents.md')
const MARKED = /(<!-- evals -->\n)[\s\S]*(<!-- \/evals -->)/

test('all tasks are done', async () => {
  const outcomes = await runEvaluations(entries())
  const passed = outcomes.filter((one) => one.passed).length
  const calls = outcomes.reduce((sum, { usage }) => sum + usage.calls, 0)
  const read = outcomes.reduce((sum, { usage }) => sum + usage.read, 0)
  const last = `${passed}/${outcomes.length} passed, ${calls} calls, ${tokens(read)} tokens of results`
  process.stdout.write(`${linesOf(outcomes)}\n${offeredOf(outcomes)}\n${last}\n`)
  if (process.env['EVALS'] === 'write') {
    const page = readFileSync(PAGE, 'utf8')
    const filled = `$1\n${offeredOf(outcomes)}\n\n${tableOf(outcomes)}\n\n$2`
    writeFileSync(PAGE, await formatted('agents.md', page.replace(MARKED, filled)))
  }
  expect(outcomes.filter((one) => !one.passed).map(({ asks }) => asks)).toEqual([])
})
