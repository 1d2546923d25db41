import { SlowReaderError } from '../kernel/placed-stream.ts'
import type { Logger } from '../ports/logger.ts'

/**
 * The same answer, whose body tells the logger when it breaks off, and its reader only the
 * request's id: what went wrong is as much the platform's own business as in an answer of 500.
 */
export function watchBody(response: Response, requestId: string, logger: Logger): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  let hasLeft = false
  const breakOff = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    error: unknown,
  ): void => {
    if (hasLeft) return
    hasLeft = true
    // How fast a client reads is its own affair.
    if (error instanceof SlowReaderError)
      logger.info('An answer was broken off, as its reader was too slow', { requestId, error })
    else logger.error('An answer broke off', { requestId, error })
    controller.error(new Error(`The answer broke off (request ${requestId})`))
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Seen at once, and not when the reader asks for more: it may never do so.
        void reader.closed.catch((error: unknown) => breakOff(controller, error))
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          // A reader that has left ends the reading that is under way.
          if (hasLeft) return
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          breakOff(controller, error)
        }
      },
      cancel(reason) {
        hasLeft = true
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}
