const PREFIX = 'med_'

/** The id of the media item with these bytes. */
export function mediaId(sha256: string): string {
  return PREFIX + sha256
}

/** The digest in an id, `null` where it is none. */
export function digestOf(id: string): string | null {
  const sha256 = id.slice(PREFIX.length)
  return /^[\da-f]{64}$/.test(sha256) && id === mediaId(sha256) ? sha256 : null
}
