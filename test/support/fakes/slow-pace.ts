import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'

/** A pace at which every step takes longer than a slice, and the number of its rests so far. */
export function slowPace(): { readonly pace: Pace; readonly rests: () => number } {
  let rests = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  return { pace, rests: () => rests }
}
