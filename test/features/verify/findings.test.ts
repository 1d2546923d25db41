import { expect, test } from 'vitest'
import { Findings } from '../../../src/features/verify/findings.ts'

test('what is not listed is counted, and says too that data is not right', () => {
  const findings = new Findings(2)
  findings.add('holdings', 'acme', 'keys', ['a'], true)
  findings.add('holdings', 'acme', 'tasks', ['b', 'c', 'd'], true)
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
