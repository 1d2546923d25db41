import { expect, test } from 'vitest'
import { ACTIONS } from '../../../../adapters/command/api/actions.ts'
import { textsBelow } from '../../../../adapters/command/api/run-action.ts'

test('why a run is stuck is whole below the table, whose columns would cut it', () => {
  const stuck = ACTIONS['operator']?.actions.find(({ verb }) => verb === 'stuck')
  const message = 'Its worker has given no sign of life since then; no other has taken it'
  const rows = [{ id: 'exec_1', stuck: { code: 'worker_gone', message } }]
  expect(textsBelow(stuck ?? {}, rows)).toBe(`\nexec_1: ${message}\n`)
  expect(textsBelow(stuck ?? {}, [])).toBe('')
  expect(textsBelow({}, rows)).toBe('')
})
