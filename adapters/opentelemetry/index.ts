/**
 * Traces and metrics by OpenTelemetry.
 *
 * @module
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  createTraceState,
  isSpanContextValid,
  metrics,
  trace,
} from '@opentelemetry/api'
import type {
  Context,
  Counter,
  Histogram,
  Meter,
  ObservableCallback,
  ObservableGauge,
  Span as ApiSpan,
  Tracer,
} from '@opentelemetry/api'
import { checkOptions, withMethods } from '../../src/kernel/options.ts'
import { formatTraceparent, parseTraceparent } from '../../src/kernel/http/trace-context.ts'
import type { Metric, Span, Telemetry, TraceContext } from '../../src/ports/telemetry.ts'

export type {
  Attributes,
  Metric,
  Observation,
  Span,
  SpanKind,
  SpanStart,
  Telemetry,
  TraceContext,
} from '../../src/ports/telemetry.ts'

/** Options of {@link createOpenTelemetry}. */
export interface OpenTelemetryOptions {
  /** Default: the tracer `seine` of the provider that the application has registered. */
  readonly tracer?: Tracer
  /** Default: the meter `seine` of the provider that the application has registered. */
  readonly meter?: Meter
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
}

/**
 * Sends traces and metrics to OpenTelemetry's API, and so to the SDK that the application has
 * registered. Without an SDK nothing is recorded. Spans find their parents by the SDK's context
 * manager, which every SDK for a server registers.
 *
 * @example
 *   const platform = createPlatform({ telemetry: createOpenTelemetry() })
 */
export function createOpenTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  checkOptions<OpenTelemetryOptions>('createOpenTelemetry', options, {
    tracer: withMethods('a tracer of OpenTelemetry', 'startActiveSpan'),
    meter: withMethods(
      'a meter of OpenTelemetry',
      'createCounter',
      'createHistogram',
      'createObservableGauge',
    ),
  })
  const tracer = options.tracer ?? trace.getTracer('seine')
  const meter = options.meter ?? metrics.getMeter('seine')
  const counters = new Map<string, Counter>()
  const histograms = new Map<string, Histogram>()
  const gauges = new Map<string, ObservableGauge>()
  return {
    span({ name, kind = 'internal', attributes = {}, parent }, work) {
      return tracer.startActiveSpan(
        name,
        { kind: KINDS[kind], attributes: { ...attributes } },
        parent ? contextOf(parent) : context.active(),
        (own) => finish(own, work),
      )
    },
    context() {
      const active = trace.getSpanContext(context.active())
      if (!active || !isSpanContextValid(active)) return null
      const tracestate = active.traceState?.serialize() ?? ''
      const { traceId, spanId, traceFlags: flags } = active
      return {
        traceparent: formatTraceparent({ traceId, spanId, flags }),
        ...(tracestate !== '' && { tracestate }),
      }
    },
    count(metric, amount, attributes) {
      instrument(counters, metric, () => meter.createCounter(metric.name, describe(metric))).add(
        amount,
        { ...attributes },
      )
    },
    record(metric, value, attributes) {
      instrument(histograms, metric, () =>
        meter.createHistogram(metric.name, describe(metric)),
      ).record(value, { ...attributes })
    },
    observe(metric, read) {
      const gauge = instrument(gauges, metric, () =>
        meter.createObservableGauge(metric.name, describe(metric)),
      )
      const report: ObservableCallback = async (result) => {
        // A value that can't be read is missing from this collection; the next one asks again.
        const observations = await read().catch(() => [])
        for (const { value, attributes } of observations) result.observe(value, { ...attributes })
      }
      gauge.addCallback(report)
      return () => gauge.removeCallback(report)
    },
  }
}

async function finish<T>(own: ApiSpan, work: (span: Span) => Promise<T>): Promise<T> {
  let hasFailed = false
  const fail = (type: string) => {
    hasFailed = true
    own.setAttribute('error.type', type)
    own.setStatus({ code: SpanStatusCode.ERROR })
  }
  try {
    return await work({
      set: (attributes) => void own.setAttributes({ ...attributes }),
      event: (name, attributes = {}) => void own.addEvent(name, { ...attributes }),
      fail,
    })
  } catch (error) {
    // Only the name of the error is recorded, because its message may quote a page, or an address
    // with a token.
    if (!hasFailed) fail(error instanceof Error ? error.name : 'unknown')
    throw error
  } finally {
    own.end()
  }
}

function contextOf({ traceparent, tracestate }: TraceContext): Context {
  const parent = parseTraceparent(traceparent)
  if (!parent) return ROOT_CONTEXT
  const { traceId, spanId, flags } = parent
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  })
}

function instrument<T>(instruments: Map<string, T>, { name }: Metric, create: () => T): T {
  const present = instruments.get(name) ?? create()
  instruments.set(name, present)
  return present
}

function describe({ unit, description, boundaries }: Metric) {
  return {
    unit,
    description,
    ...(boundaries && { advice: { explicitBucketBoundaries: [...boundaries] } }),
  }
}
