import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import type { Answer } from '../fakes/fake-web.ts'
import { CheckedStore, watch } from './invariants.ts'
import { createReadBlobs, parsedOnce } from './checks/read-again.ts'
import { OWNER, createWorld } from './world.ts'
import type { World } from './world.ts'

/** A world whose records are checked from outside, and the rules that they have broken. */
export interface WatchedWorld {
  readonly world: World
  /** The store without the checks. */
  readonly base: Store
  readonly broken: Set<string>
  /** Checks the records now. */
  readonly check: () => Promise<void>
}

/** Options of {@link createWatchedWorld}, beside those of a world. */
export interface WatchedWorldOptions extends Omit<
  NonNullable<Parameters<typeof createWorld>[1]>,
  'store' | 'blobs'
> {
  /** Default: a store in memory. */
  readonly base?: Store
  /** Checks all records after each commit, not only when the test does. Default: true. */
  readonly closely?: boolean
  /** More that must hold after each commit: returns what does not. */
  readonly more?: (base: Store, blobs: Blobs) => Promise<readonly string[]>
}

/** Makes a world whose web has only `pages`, and watches its records. */
export function createWatchedWorld(
  pages: Record<string, Answer>,
  {
    clock = createFakeClock(),
    base = createMemoryStore({ clock }),
    closely = true,
    more,
    ...options
  }: WatchedWorldOptions = {},
): WatchedWorld {
  const { blobs, unchanged } = createReadBlobs()
  const { check, broken } = watch(parsedOnce(base), unchanged, OWNER.account)
  const store = new CheckedStore(base, async () => {
    await check()
    for (const rule of (await more?.(base, blobs)) ?? []) broken.add(rule)
  })
  const world = createWorld(pages, { ...options, clock, blobs, store: closely ? store : base })
  return { world, base, broken, check }
}
