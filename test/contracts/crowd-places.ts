/** The places of the tests of `storeCrowd`, for stores whose places must be made in advance. */
export const CROWD_PLACES = [
  'made',
  'added',
  'incremented',
  'bank',
  'claimed',
  'excluded',
  'relayed',
  'taken',
] as const

/** One of these places. */
export type CrowdPlace = (typeof CROWD_PLACES)[number]
