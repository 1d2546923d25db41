import { expect, test } from 'vitest'
import { Faults, Findings } from '../../../src/features/verify/findings.ts'

function faultsOf(...messages: readonly string[]): Faults {
  const faults = new Faults()
  for (const message of messages) faults.add(message)
  return faults
}

test('differences that are not listed are counted, and also make the result wrong', async () => {
  const findings = new Findings(2)
  await findings.add('holdings', 'acme', 'keys', faultsOf('a'), true)
  await findings.add('holdings', 'acme', 'tasks', faultsOf('b', 'c', 'd'), true)
  expect(findings.report(1)).toMatchObject({
    ok: true,
    differences: [{ message: 'a' }, { message: 'b' }],
  })
  findings.count('indexes', 0, false)
  expect(findings.report(1).ok).toBe(true)
  findings.count('indexes', 7, false)
  const { ok, checks, differences } = findings.report(1)
  expect([ok, differences.length]).toEqual([false, 2])
  expect(checks.filter((check) => check.differences > 0)).toMatchObject([
    { area: 'indexes', differences: 7 },
    { area: 'holdings', differences: 4 },
  ])
})
