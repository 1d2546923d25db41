/**
 * A position in an execution's history: how much of it was sent. Each event's id is the position
 * after it.
 */
export interface Position {
  /** Index of the commit that is read next. */
  readonly settled: number
  /** Number of outcomes of that commit that were already sent. */
  readonly taken: number
  /** `updatedAt` of the last move that was sent. 0: none. */
  readonly move: number
}

/** The position before the first event. */
export const START: Position = { settled: 0, taken: 0, move: 0 }

const TEXT = /^(\d{1,15})\.(\d{1,9})\.(\d{1,15})(\.end)?$/

/** Serialises a position as an event id. */
export function positionText({ settled, taken, move }: Position): string {
  return `${settled}.${taken}.${move}`
}

/**
 * Parses an event id. `0` is the start; `end` means that the last event was sent. `null` for any
 * other text.
 */
export function readPosition(text: string): Position | 'end' | null {
  if (text === '0') return START
  const [, settled, taken, move, end] = TEXT.exec(text) ?? []
  if (settled === undefined) return null
  return end === undefined
    ? { settled: Number(settled), taken: Number(taken), move: Number(move) }
    : 'end'
}

/** Description of the stream, for the documentation. */
export const EVENTS_DESCRIPTION = `A stream (\`text/event-stream\`) of these events, whose \`data\` is JSON:

- \`state\`: the execution without what is counted, as it is now and after each change of its status.
- \`progress\`: what is counted (\`counters\`, \`filled\`, \`errors\`, \`cost\`), at most twice a second.
- \`page\`: the receipt of a URL that has got its outcome.
- \`gap\`: page outcomes before it are no longer kept in their order: see the list of pages.
- \`end\`: the finished execution. Then the stream ends.

Each has an \`id\`. A client that sends the last one it saw as \`Last-Event-ID\` misses nothing and gets nothing twice, within 24 hours and on any server of the service. Without one the stream begins with the present. A stream that is open for 15 minutes ends, to be opened again. An account has a cap of streams that are open at the same time (\`caps.streams\` of its plan): 429 beyond it. Comments come while nothing happens.`

/** A short stream, for the documentation. */
export const EVENTS_EXAMPLE = `retry: 1000

event: state
id: 12.0.1896091501000
data: {"id":"exec_01K3AA1C5D9F3H7K2M6P8R0T4V","status":"running","reason":null}

event: page
id: 13.0.1896091501000
data: {"url":"https://shop.example.com/pens/7","outcome":"fetched","httpStatus":200,"rows":1,"credits":1}

`
