/** A stream of events of one execution. */
export interface StreamAddress {
  readonly url: string
  readonly key: string
}

/** How many parts are read before a stream is left; the last one is read to its end. */
const PARTS = [1, 2, 4, Number.POSITIVE_INFINITY]
const PATIENCE_MS = 60_000
/** A run of a few pages has fewer streams. */
const MOST_STREAMS = 100

/**
 * Opens streams of an execution one after the other, each from where the one before was left.
 * Resolves with the fault of what they have told; `null` if all is well.
 */
export async function followToEnd(
  { url, key }: StreamAddress,
  turn: number,
): Promise<string | null> {
  const pages: string[] = []
  let ends = 0
  let last = '0'
  const first = turn % PARTS.length
  for (let count = first; count < first + MOST_STREAMS; count++) {
    const over = AbortSignal.timeout(PATIENCE_MS)
    const leave = new AbortController()
    const signal = AbortSignal.any([over, leave.signal])
    const headers = { 'x-api-key': key, 'last-event-id': last }
    try {
      const response = await fetch(url, { headers, signal })
      if (response.status === 204) break
      if (response.status !== 200 || !response.body) return `a stream was ${response.status}`
      let rest = ''
      let parts = PARTS[Math.min(count, PARTS.length - 1)] ?? 0
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + part).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          last = /^id: (.*)$/m.exec(event)?.[1] ?? last
          const kind = /^event: (.*)$/m.exec(event)?.[1]
          if (kind === 'page') pages.push(/"url":"([^"]*)"/.exec(event)?.[1] ?? '')
          if (kind === 'end') ends++
        }
        if (--parts <= 0) break
      }
    } catch (error) {
      return `a stream failed: ${String(error)}`
    }
    leave.abort()
    if (ends > 0) break
  }
  if (ends > 1) return `streams have told ${ends} ends`
  if (ends === 0) return 'no stream has told the end'
  return new Set(pages).size === pages.length ? null : 'streams have told a page twice'
}
