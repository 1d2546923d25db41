/**
 * A position in an execution's history, which says how much of it was sent. Each event's id is the
 * position after it.
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
  const [, settled, pages, move, end] = TEXT.exec(text) ?? []
  if (settled === undefined) return null
  return end === undefined
    ? { settled: Number(settled), taken: Number(pages), move: Number(move) }
    : 'end'
}

/** Description of the stream, for the documentation. */
export const EVENTS_DESCRIPTION =
  'A stream (`text/event-stream`) of these events, whose `data` is JSON:\n\n- `state`: the ' +
  'execution without its counters, at first and after each change of its status.\n- ' +
  '`progress`: the counters (`counters`, `filled`, `errors`, `cost`), at most twice a ' +
  'second.\n- `page`: a URL whose outcome is known.\n- `gap`: earlier ' +
  '`page` events are no longer available: see the list of pages.\n- `end`: the finished ' +
  'execution. Then the stream ends.\n\nEach event has an `id`. A client that sends its ' +
  'last one as `Last-Event-ID` misses nothing and gets nothing twice, within 24 hours ' +
  'and on any server of the service. Without it the stream begins with the current ' +
  "state. A stream ends after 15 minutes; open it again. The plan's `caps.streams` " +
  'limits the streams that an account has open at the same time: 429 beyond it. Comments ' +
  'are sent while nothing happens.'

/** A short stream, for the documentation. */
export const EVENTS_EXAMPLE = `retry: 1000

event: state
id: 12.0.1896091501000
data: {"id":"exec_1","status":"running","reason":null}

event: page
id: 13.0.1896091501000
data: {"url":"https://example.com/7","outcome":"fetched","httpStatus":200,"rows":1,"credits":1}

`
