import { expect, test } from 'vitest'
import { moved, NO_CREDITS, transfer } from '../../../src/features/ledger/credits.ts'
import { statementFaults } from './statements.ts'

const grant = {
  period: '2026-03',
  kind: 'grant',
  moves: transfer('grants', 'wallet', 100),
} as const
const fetched = {
  period: '2026-03',
  kind: 'fetch',
  moves: transfer('wallet', 'revenue', 3),
} as const
const later = { ...fetched, period: '2026-04' } as const
const ENTRIES = [grant, fetched, later]

const afterMarch = [grant, fetched].reduce((sum, { moves }) => moved(sum, moves), NO_CREDITS)
const MARCH = {
  period: '2026-03',
  opening: NO_CREDITS,
  closing: afterMarch,
  totals: { grant: { entries: 1, wallet: 100 }, fetch: { entries: 1, wallet: -3 } },
  entries: 2,
} as const
const APRIL = {
  period: '2026-04',
  opening: afterMarch,
  closing: moved(afterMarch, later.moves),
  totals: { fetch: { entries: 1, wallet: -3 } },
  entries: 1,
} as const

test('statements that are the sums of their entries have no fault', () => {
  expect(statementFaults([APRIL, MARCH], ENTRIES)).toEqual([])
})

test('a statement that lacks an entry, has other totals or does not go on has a fault', () => {
  expect(statementFaults([MARCH], [grant])).toEqual([
    'a statement counts other entries',
    'a statement closes with other credits than its entries',
    'the totals of a statement are not those of its entries',
  ])
  const totals = { ...MARCH.totals, fetch: { entries: 1, wallet: -2 } }
  expect(statementFaults([{ ...MARCH, totals }], ENTRIES)).toEqual([
    'the totals of a statement are not those of its entries',
  ])
  const apart = { ...APRIL, opening: NO_CREDITS, closing: moved(NO_CREDITS, later.moves) }
  expect(statementFaults([MARCH, apart], ENTRIES)).toEqual([
    'a statement does not begin where the one before has ended',
  ])
})

test('a month between two statements may have none yet', () => {
  const june = { ...APRIL, period: '2026-06', opening: NO_CREDITS }
  const closing = moved(NO_CREDITS, later.moves)
  const entries = [grant, fetched, { ...later, period: '2026-06' }]
  expect(statementFaults([MARCH, { ...june, closing }], entries)).toEqual([])
})
