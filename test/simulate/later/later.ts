import { Luck } from '../luck.ts'

/**
 * Worlds of this seed and the next ones have what came when seeds of bugs had been kept already: it
 * changes what processes do, and so what a kept seed finds.
 */
export const FIRST_LATER_SEED = 100_000_000

export function isLater(seed: number): boolean {
  return seed >= FIRST_LATER_SEED
}

/**
 * Worlds of this seed and the next ones are brief: as much happens in a fraction of the time, so
 * that a processor tries many more of them in an hour.
 */
export const FIRST_BRIEF_SEED = 2_000_000_000

export function isBrief(seed: number): boolean {
  return seed >= FIRST_BRIEF_SEED
}

/** How many times longer than usual a world may take. Below 1: people and faults hurry. */
export function stretchesOf(seed: number): readonly [number, ...number[]] {
  return isBrief(seed) ? [0.25, 0.25, 0.25, 6, 36, 200] : [1, 1, 6, 36, 200]
}

/** The least and the most minutes of the storm of a world, before its stretch. */
export function stormMinutesOf(
  seed: number,
  stretch: number,
  most: number,
): readonly [number, number] {
  if (!isBrief(seed)) return [10, Math.max(10, most)]
  return stretch < 1 ? [4, 10] : [2, 5]
}

const RATES_SALT = 0x0a7e5a17
const RATES_SHARE = 0.4

/** True if calls are limited in the world of a seed: each one is counted in the store then. */
export function hasRates(seed: number): boolean {
  return isLater(seed) && new Luck(seed ^ RATES_SALT).chance(RATES_SHARE)
}

/** Time zones of the schedules of a world. */
const ZONES: readonly [string, ...string[]] = ['UTC', 'Europe/Berlin', 'America/New_York']

/**
 * Further ones. Their clocks change at midnight, by half an hour, on the evening before, or in the
 * other half of the year, or have an offset of a quarter of an hour.
 */
const FURTHER_ZONES: readonly string[] = [
  'Asia/Beirut',
  'Atlantic/Azores',
  'America/Nuuk',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Chatham',
]

/** Patterns that meet the changes of the clocks in these zones. */
const FURTHER_CRONS: readonly string[] = [
  '0 0 * * *',
  '30 22,23 * * *',
  '45 0,1,2 * * *',
  '15 1,2 * * *',
]

/** Further patterns of schedules in the world of a seed. */
export function furtherCronsOf(seed: number): readonly string[] {
  return isLater(seed) ? FURTHER_CRONS : []
}

/** The time zones of the schedules in the world of a seed. */
export function zonesOf(seed: number): readonly [string, ...string[]] {
  return isLater(seed) ? [...ZONES, ...FURTHER_ZONES] : ZONES
}
