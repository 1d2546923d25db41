import { expect, test } from 'vitest'
import { moved, NO_CREDITS, transfer } from '../../../src/features/ledger/credits.ts'

// Proves that credits are only moved, and never made or lost.

test('a movement whose sum is above or below zero is refused', () => {
  for (const amount of [5, -5, 1, -1]) {
    expect(() => moved(NO_CREDITS, { wallet: amount })).toThrow(`off balance by ${amount} credits`)
    expect(() => moved(NO_CREDITS, { wallet: 2 * amount, held: -amount })).toThrow(RangeError)
  }
  expect(() => moved(NO_CREDITS, { wallet: 0.5, held: -0.5 })).toThrow('are not a valid amount')
  expect(moved(NO_CREDITS, transfer('wallet', 'held', 7))).toMatchObject({ wallet: -7, held: 7 })
})
