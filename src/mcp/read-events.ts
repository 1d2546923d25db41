/** An event of a stream; `event: null`: a comment. */
export interface StreamEvent {
  readonly event: string | null
  /** Its data, as JSON; `null` for what is none. */
  readonly data: unknown
}

/** Characters of an event that is not whole yet. */
const MOST_WAITING = 4_194_304

/**
 * The events of a stream whose data are JSON in one line each (HTML Standard, section 9.2.6).
 * Leaving it ends the stream.
 *
 * @throws what the stream broke off with
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true }))
        .replaceAll('\r\n', '\n')
        .split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > MOST_WAITING) throw new Error('An event of the service is too long')
      for (const block of blocks) yield eventOf(block)
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function eventOf(block: string): StreamEvent {
  let event = 'message'
  let text: string | null = null
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(event|data): ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') text = (text ?? '') + value
  }
  if (text === null) return { event: null, data: null }
  try {
    return { event, data: JSON.parse(text) }
  } catch {
    return { event, data: null }
  }
}
