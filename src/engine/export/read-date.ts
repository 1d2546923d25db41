const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3})\d*)?(Z|[+-]\d{2}:\d{2})?)?$/

/** A point in time, and whether it was given as a day alone. */
export interface ExportDate {
  /** Unix time in milliseconds; a date without a zone is taken for UTC. */
  readonly at: number
  readonly isDay: boolean
}

/** Reads a date as recipes write it (ISO 8601); `null` for any other text. */
export function readDate(text: string): ExportDate | null {
  const found = DATE.exec(text)
  if (found === null) return null
  const isDay = found[4] === undefined
  const wall = Date.parse(isDay ? text : `${text.slice(0, text.length - (found[8]?.length ?? 0))}Z`)
  // Runtimes let days run over into the next month.
  if (Number.isNaN(wall) || new Date(wall).getUTCDate() !== Number(found[3])) return null
  const at = found[8] === undefined ? wall : Date.parse(text)
  return Number.isNaN(at) ? null : { at, isDay }
}
