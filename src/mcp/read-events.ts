/** An event of a stream; `event: null`: a comment. */
export interface StreamEvent {
  readonly event: string | null
  /** Its data as parsed JSON; `null` for invalid JSON. */
  readonly data: unknown
}

/** Maximum characters of an incomplete event. */
const MOST_WAITING = 4_194_304

/**
 * Reads the events of a stream whose data is one line of JSON each (HTML Standard, section 9.2.6).
 * Leaving the loop ends the stream.
 *
 * @throws the error that ended the stream
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
