/** Unix milliseconds as the wire has times: ISO 8601, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** {@link isoTime} of a time that may not have come yet. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
