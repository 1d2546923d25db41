import { expect, it } from 'vitest'
import { StillLeases } from '../../src/kernel/leases.ts'

const LEASE = 30_000
const YEAR = 365 * 86_400_000
const PATIENCE = 300_000

it('a lease within its length ends by the clock', () => {
  const leases = new StillLeases(LEASE)
  expect(leases.isOver('a', '1', LEASE, 0)).toBe(false)
  expect(leases.isOver('a', '1', LEASE, LEASE - 1)).toBe(false)
  expect(leases.isOver('a', '1', LEASE, LEASE)).toBe(true)
})

it('a lease that ends in a year is over when nobody has renewed it for five minutes', () => {
  const leases = new StillLeases(LEASE)
  expect(leases.isOver('a', '1', YEAR, 0)).toBe(false)
  expect(leases.isOver('a', '1', YEAR, PATIENCE - 1)).toBe(false)
  expect(leases.isOver('a', '1', YEAR, PATIENCE)).toBe(true)
})

it('a lease that ends in a year lives as long as its holder renews it', () => {
  const leases = new StillLeases(LEASE)
  for (let beat = 0; beat < 100; beat++)
    expect(leases.isOver('a', `${beat}`, YEAR + beat, beat * 10_000)).toBe(false)
  expect(leases.isOver('a', '99', YEAR + 99, 99 * 10_000 + PATIENCE)).toBe(true)
})

it('leases of more than five minutes may have their own length', () => {
  const leases = new StillLeases(2 * PATIENCE)
  expect(leases.isOver('a', '1', YEAR, 0)).toBe(false)
  expect(leases.isOver('a', '1', YEAR, 2 * PATIENCE - 1)).toBe(false)
  expect(leases.isOver('a', '1', YEAR, 2 * PATIENCE)).toBe(true)
})
