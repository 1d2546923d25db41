import type { Played } from './play.ts'
import { optionsOf, smaller } from './trims.ts'
import type { Trims } from './trims.ts'

/** Plays a world with something left out. */
export type PlayTrimmed = (trims: Trims) => Promise<Played>

/** The smallest world that was found, and how it fails. */
export interface Shrunk {
  readonly trims: Trims
  readonly played: Played
  /** The number of worlds that were tried. */
  readonly tries: number
}

/**
 * Leaves out of a failing world what can be left out while the same promise is broken first. A step
 * that breaks another promise is not taken: it may be another fault.
 */
export async function shrink(
  start: Trims,
  failed: Played,
  play: PlayTrimmed,
  mostTries: number,
): Promise<Shrunk> {
  const [promise] = failed.broken
  let best: Shrunk = { trims: start, played: failed, tries: 0 }
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < mostTries;) {
    isSmaller = false
    for (const trims of smaller(best.trims, best.played.stormMinutes)) {
      if (tries === mostTries) break
      if (isSame(best.trims, trims)) continue
      tries++
      const played = await play(trims)
      if (played.broken[0] !== promise) continue
      best = { trims, played, tries }
      isSmaller = true
      break
    }
  }
  return { ...best, tries }
}

/** True if nothing more is left out. */
function isSame(best: Trims, next: Trims): boolean {
  return optionsOf(best) === optionsOf(next)
}
