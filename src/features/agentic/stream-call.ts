import { PlatformError } from '../../kernel/errors.ts'
import { EVENT_STREAM_HEADERS } from '../../kernel/http/event-stream.ts'
import { EventWriter } from '../../kernel/http/event-writer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ToolProgress } from './runs.ts'
import type { AgenticExecution } from './call-answer.ts'

/** Interval of comments, in ms. They keep proxies from taking a slow run for a dead connection. */
const BEAT_MS = 15_000

/**
 * Responds to a call with a stream from its first progress on. A call without progress gets the
 * normal response, errors included. A reader that leaves the stream aborts the call's signal.
 */
export async function streamCall(
  call: (watched: {
    readonly signal: AbortSignal
    readonly report: (progress: ToolProgress) => void
  }) => Promise<AgenticExecution>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<AgenticExecution | Response> {
  const gone = new AbortController()
  const over = new AbortController()
  const stream = new EventWriter(() => gone.abort())
  const { promise: opened, resolve: open } = Promise.withResolvers<Response>()
  let isOpen = false
  const answer = call({
    signal: AbortSignal.any([signal, gone.signal]),
    report(progress) {
      stream.send('progress', progress)
      if (isOpen) return
      isOpen = true
      void beat(stream, clock, over.signal)
      open(new Response(stream.body, { status: 201, headers: EVENT_STREAM_HEADERS }))
    },
  })
  const ended = answer.then(
    (result) => {
      stream.send('result', result)
      stream.close()
    },
    (error: unknown) => {
      if (!(error instanceof PlatformError)) return stream.close(error)
      const { code, message, issues } = error
      stream.send('error', { code, message, issues })
      stream.close()
    },
  )
  void ended.finally(() => over.abort())
  return Promise.race([opened, answer])
}

async function beat(stream: EventWriter, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(BEAT_MS, over).catch(() => {})
    if (!over.aborted) stream.beat()
  }
}
