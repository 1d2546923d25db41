import { monotonicFactory } from 'ulid'

/** Makes ids such as `task_01J8Z…`: a prefix and a ULID, so that ids of one kind sort by the time they were made. */
export type Ids = (prefix: string) => string

/** What {@link createIds} draws on. */
export interface IdsOptions {
  /** Unix milliseconds. */
  readonly now: () => number
  readonly random: (length: number) => Uint8Array
}

/** Ids of one process never repeat and never go back, even within a millisecond or when the clock does. */
export function createIds({ now, random }: IdsOptions): Ids {
  const ulid = monotonicFactory(() => (random(1)[0] ?? 0) / 256)
  return (prefix) => `${prefix}_${ulid(now())}`
}
