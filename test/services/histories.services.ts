import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/sources/sources.ts'

// Short histories, of seeds that nobody has chosen, on real stores of several processes.

const FIRST = Number(process.env['HISTORIES_SEED'] ?? Math.floor(Date.now() / 86_400_000) * 100)

/** Its output; exit code 1 says that there are anomalies. */
async function play(...options: readonly string[]): Promise<string> {
  const script = join(root, 'test/histories/run.ts')
  const values = ['--no-warnings', script, '--seed', String(FIRST), ...options]
  const running = promisify(execFile)(process.execPath, values).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 1 && 'stdout' in error)
      return { stdout: String(error.stdout) }
    throw error
  })
  return (await running).stdout
}

test.for([
  ['sqlite', 10],
  ['redis', 8],
  ['postgres', 6],
] as const)('processes on %s see no anomaly in %i runs', async ([store, runs]) => {
  const output = await play('--store', store, '--runs', String(runs))
  console.log(`${store}, from seed ${FIRST}: ${output.trimEnd()}`)
  expect(output).toContain(`${runs} runs, 0 with anomalies`)
})

test.for([
  ['sqlite', 'SQLite writes a commit whose checks do not hold'],
  ['redis', 'Redis looks only whether a checked key is present'],
  ['postgres', 'Postgres reads the keys of one call one after the other'],
] as const)('histories on %s show that %s', async ([store, bug]) => {
  // When things happen is not drawn, so one run may miss the bug; it is found within some.
  const output = await play('--store', store, '--runs', '60', '--bail', '--bug', bug)
  expect(output).toMatch(/^\d+ runs, 1 with anomalies$/m)
})
