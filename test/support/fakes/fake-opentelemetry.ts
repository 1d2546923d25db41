import { AsyncLocalStorage } from 'node:async_hooks'
import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  createNoopMeter,
  trace,
} from '@opentelemetry/api'
import type {
  Context,
  ContextManager,
  ObservableCallback,
  Span,
  SpanContext,
  SpanOptions,
  Tracer,
} from '@opentelemetry/api'
import { createOpenTelemetry } from '../../../adapters/opentelemetry/index.ts'
import type { Attributes } from '../../../src/ports/telemetry.ts'
import type { EndedSpan, Measured, TelemetrySubject } from '../../contracts/telemetry.ts'

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const plain = (attributes: object = {}): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter((entry) => isPlain(entry[1])))

const KINDS = ['internal', 'server', 'client', 'internal', 'consumer'] as const

/** A backend of OpenTelemetry's API in memory, with as much of an SDK as tests need. */
export function createFakeOpenTelemetry(): TelemetrySubject {
  const active = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (own, work, self, ...args) => active.run(own, () => work.call(self, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.disable()
  context.setGlobalContextManager(manager)

  const ended: EndedSpan[] = []
  const measured: Measured[] = []
  const observed = new Map<ObservableCallback, string>()
  let ids = 0
  const nextId = (length: number) => (++ids).toString(16).padStart(length, '0')

  const startSpan = (name: string, options: SpanOptions = {}, within = context.active()): Span => {
    const parent = trace.getSpanContext(within) ?? INVALID_SPAN_CONTEXT
    const isRoot = parent === INVALID_SPAN_CONTEXT
    const own: SpanContext = {
      traceId: isRoot ? nextId(32) : parent.traceId,
      spanId: nextId(16),
      traceFlags: 1,
      ...(parent.traceState && { traceState: parent.traceState }),
    }
    const attributes: Record<string, string | number | boolean> = {}
    const events: string[] = []
    let failed = false
    const span: Span = {
      spanContext: () => own,
      setAttribute: (key, value) => span.setAttributes({ [key]: value }),
      setAttributes(more) {
        for (const [key, value] of Object.entries(more)) if (isPlain(value)) attributes[key] = value
        return span
      },
      addEvent: (event) => (events.push(event), span),
      addLink: () => span,
      addLinks: () => span,
      setStatus: ({ code }) => ((failed = code === SpanStatusCode.ERROR), span),
      updateName: () => span,
      isRecording: () => true,
      recordException() {},
      end() {
        const kind = KINDS[options.kind ?? SpanKind.INTERNAL] ?? 'internal'
        const { traceId, spanId } = own
        const parentId = isRoot ? null : parent.spanId
        ended.push({ name, kind, attributes, events, failed, traceId, spanId, parentId })
      },
    }
    return span.setAttributes(options.attributes ?? {})
  }
  const tracer: Tracer = {
    startSpan,
    startActiveSpan<F extends (span: Span) => ReturnType<F>>(name: string, ...rest: unknown[]) {
      const [options, within, work] = rest as [SpanOptions, Context, F]
      const span = startSpan(name, options, within)
      return context.with(trace.setSpan(within, span), work, undefined, span)
    },
  }
  const meter = createNoopMeter()
  const note = (name: string) => (value: number, attributes: object | undefined) =>
    void measured.push({ name, value, attributes: plain(attributes) })
  meter.createCounter = (name) => ({ add: note(name) })
  meter.createHistogram = (name) => ({ record: note(name) })
  meter.createObservableGauge = (name) => ({
    addCallback: (callback) => void observed.set(callback, name),
    removeCallback: (callback) => void observed.delete(callback),
  })
  return {
    telemetry: createOpenTelemetry({ tracer, meter }),
    ended,
    measured,
    async collect() {
      const values: Measured[] = []
      for (const [callback, name] of observed)
        await callback({
          observe: (value, attributes) =>
            void values.push({
              name,
              value,
              attributes: { ...attributes } as Measured['attributes'],
            }),
        })
      return values
    },
  }
}
