import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/sources/sources.ts'

const MODULE = JSON.stringify(join(root, 'adapters/common/collector.ts'))
/** Collects short-lived garbage, and prints how often V8's helpers have run meanwhile. */
const SCRIPT = `
import { readdirSync, readFileSync } from 'node:fs'
import { collectAlone } from ${MODULE}
if (process.argv[2] === 'alone') collectAlone(2)
const turnsOfHelpers = () => readdirSync('/proc/self/task')
  .map((thread) => '/proc/self/task/' + thread)
  .filter((folder) => readFileSync(folder + '/comm', 'utf8').trim() === 'V8Worker')
  .map((folder) => Number(readFileSync(folder + '/schedstat', 'utf8').split(' ')[2]))
  .reduce((sum, turns) => sum + turns, 0)
let living = []
const before = turnsOfHelpers()
for (let round = 0; round < 200; round++) {
  living = Array.from({ length: 5000 }, (_, i) => ({ i, bytes: i % 50 ? null : new ArrayBuffer(9) }))
  gc({ type: 'minor' })
}
console.log(turnsOfHelpers() - before, living.length)
`

function helpersIn(argument: string): number {
  const { stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module-typescript', '-', argument],
    { input: SCRIPT, encoding: 'utf8' },
  )
  return Number(stdout.split(' ')[0])
}

test.runIf(process.platform === 'linux')(
  'a server with few processors collects short-lived garbage without helpers',
  () => {
    const [shared, alone] = [helpersIn('shared'), helpersIn('alone')]
    expect(shared).toBeGreaterThan(200)
    expect(alone).toBeLessThan(shared / 5)
  },
)
