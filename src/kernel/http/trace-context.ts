/** The parts of a `traceparent` header (W3C Trace Context, section 3.2). */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/
/** A list of vendors' entries: its allowed characters, and the length that must be passed on. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/

/** Reads a `traceparent`. `null`: it is not one, and a new trace begins, as the standard says. */
export function parseTraceparent(text: string): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return null
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** Writes a `traceparent`. Of its flags it sets only `sampled`, the one that the standard defines. */
export function formatTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${flags & 1}`
}

/** Returns the trace that headers or stored fields name. `undefined`: they name no valid trace. */
export function readTraceContext(
  traceparent: unknown,
  tracestate: unknown,
): { readonly traceparent: string; readonly tracestate?: string } | undefined {
  const parsed = typeof traceparent === 'string' ? parseTraceparent(traceparent) : null
  if (!parsed) return undefined
  return {
    traceparent: formatTraceparent(parsed),
    ...(typeof tracestate === 'string' && TRACESTATE.test(tracestate) && { tracestate }),
  }
}
