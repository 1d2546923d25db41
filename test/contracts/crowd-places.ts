/** The places of the tests of `storeCrowd`, for a store whose places have to be made before. */
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

/** One of them. */
export type CrowdPlace = (typeof CROWD_PLACES)[number]
