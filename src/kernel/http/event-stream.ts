/** Content type of server-sent events (HTML Standard, section 9.2). */
export const EVENT_STREAM = 'text/event-stream'

/** Headers of a stream; the last stops proxies such as nginx from buffering events. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}
