import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkCode, plantAll, readMutants, ROOT } from './mutants.ts'

it('the code with each bug parses', () => {
  const planted = plantAll(readMutants())
  expect(planted.length).toBeGreaterThan(0)
  checkCode(planted)
  expect(() => checkCode(planted.map((one) => ({ ...one, text: '(' })))).toThrow('does not parse')
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a run that %s ends leaves no copy of the checkout', async (signal, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'ended-mutants-'))
  try {
    const run = spawn(
      process.execPath,
      [join(ROOT, 'test/mutants/run.ts'), '--only', 'a movement of credits that sums below zero'],
      { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(run, 'exit')
    // Its first line comes when the copy exists.
    await once(run.stdout, 'data')
    expect(readdirSync(folder)).toHaveLength(1)
    run.kill(signal)
    expect(await ended).toEqual([code, null])
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
