const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * How long a job that failed waits, in ms: doubling from a second to five minutes, of which a
 * random part up to a half is left out, so that jobs that failed together part. `attempt`: 1 for
 * the first that failed. `random`: one byte.
 */
export function retryDelay(attempt: number, random: Uint8Array): number {
  const whole = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  return Math.round(whole * (1 - (random[0] ?? 0) / 512))
}
