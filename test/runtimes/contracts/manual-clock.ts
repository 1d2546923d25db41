/** A clock that stands still until it is moved; nothing sleeps by it. */
export function createManualClock(): { now(): number; advance(ms: number): Promise<void> } {
  let now = Date.UTC(2026, 0, 1)
  return {
    now: () => now,
    async advance(ms) {
      now += ms
    },
  }
}
