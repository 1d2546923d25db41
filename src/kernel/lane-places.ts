/** The lanes of the Queue port. */
export const LANES = ['short', 'remote', 'long'] as const

/**
 * How many jobs a consumer runs at once, lane by lane.
 *
 * @throws {RangeError} for a number that is no integer of at least 1
 */
export function lanePlaces(
  concurrency: number | Readonly<Record<(typeof LANES)[number], number>>,
): readonly { readonly lane: (typeof LANES)[number]; readonly size: number }[] {
  return LANES.map((lane) => {
    const size = typeof concurrency === 'number' ? concurrency : concurrency[lane]
    if (!Number.isInteger(size) || size < 1)
      throw new RangeError('The concurrency is an integer of at least 1')
    return { lane, size }
  })
}
