/** Attributes of a span or a measurement, with names and values as in OpenTelemetry. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A position in a trace, as W3C Trace Context writes it in headers. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/** The kind of a span. Default `internal`. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

/** Facts about a span when it begins. */
export interface SpanStart {
  readonly name: string
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** The parent span, if it is in another process. Absent: the span that is active here. */
  readonly parent?: TraceContext | undefined
}

/** A piece of work that is being traced. */
export interface Span {
  set(attributes: Attributes): void
  event(name: string, attributes?: Attributes): void
  /** Marks it as failed. `type`: a code of which there are few, never a message. */
  fail(type: string): void
}

/** A quantity that is measured. */
export interface Metric {
  readonly name: string
  /** The unit in UCUM, such as `s`, or `{page}` for a count of pages. */
  readonly unit: string
  readonly description: string
  /** Upper bounds of a histogram's buckets. */
  readonly boundaries?: readonly number[]
}

/** A measured value that is read when metrics are collected. */
export interface Observation {
  readonly value: number
  readonly attributes: Attributes
}

/**
 * Receives traces and metrics. Attributes hold no secret, no query string and no text of a page. No
 * method throws. Only `span` may reject, with the error of its work.
 */
export interface Telemetry {
  /**
   * Traces `work`: the span is active while it runs, and ends with it. If it rejects, the span has
   * failed, with the error's name as the type unless `fail` gave one.
   */
  span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>
  /** The active span, to continue the trace elsewhere. `null`: no span is active. */
  context(): TraceContext | null
  /** Adds to a counter. */
  count(metric: Metric, amount: number, attributes: Attributes): void
  /** Adds a value to a histogram. */
  record(metric: Metric, value: number, attributes: Attributes): void
  /** Asks `read` whenever metrics are collected, until the returned function is called. */
  observe(metric: Metric, read: () => Promise<readonly Observation[]>): () => void
}
