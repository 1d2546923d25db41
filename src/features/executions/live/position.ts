/** How much of an execution's history was given. Each event has the position after it as its id. */
export interface Position {
  /** Index of the commit that is read next. */
  readonly settled: number
  /** Outcomes of that commit that were given already. */
  readonly taken: number
  /** `updatedAt` of the last move that was given; 0 for none. */
  readonly move: number
}

/** Before everything. */
export const START: Position = { settled: 0, taken: 0, move: 0 }

const TEXT = /^(\d{1,15})\.(\d{1,9})\.(\d{1,15})(\.end)?$/

/** A position as an event's id. */
export function positionText({ settled, taken, move }: Position): string {
  return `${settled}.${taken}.${move}`
}

/**
 * Reads an event's id; `0` is the start, `end` that the last event was given. `null` for any other
 * text.
 */
export function readPosition(text: string): Position | 'end' | null {
  if (text === '0') return START
  const [, settled, taken, move, end] = TEXT.exec(text) ?? []
  if (settled === undefined) return null
  return end === undefined
    ? { settled: Number(settled), taken: Number(taken), move: Number(move) }
    : 'end'
}
