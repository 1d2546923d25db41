import { describe, expect, it } from 'vitest'
import type { Attributes, SpanKind, Telemetry } from '../../src/ports/telemetry.ts'

/** A span that has ended, as the backend gets it. */
export interface EndedSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  readonly events: readonly string[]
  readonly failed: boolean
  readonly traceId: string
  readonly spanId: string
  /** `null`: it begins a trace. */
  readonly parentId: string | null
}

/** A value that the backend got. */
export interface Measured {
  readonly name: string
  readonly value: number
  readonly attributes: Attributes
}

/** The telemetry to test, with all that its backend got. */
export interface TelemetrySubject {
  readonly telemetry: Telemetry
  readonly ended: readonly EndedSpan[]
  /** Values of counters and histograms, in order. */
  readonly measured: readonly Measured[]
  /** Collects what is observed. */
  readonly collect: () => Promise<readonly Measured[]>
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const METRIC = { name: 'seine.test', unit: '{thing}', description: 'Things' }

/**
 * The tests that every adapter of the Telemetry port must pass. `make` is called once for each
 * test.
 *
 * @example
 *   declare const makeTelemetry: () => TelemetrySubject
 *   telemetryContract('My telemetry', makeTelemetry)
 */
export function telemetryContract(name: string, make: () => TelemetrySubject): void {
  describe(`${name} keeps the Telemetry contract`, () => {
    it('returns the result of the work, and records a span with its attributes', async () => {
      const { telemetry, ended } = make()
      const start = { name: 'GET /x', kind: 'server', attributes: { a: 1 } } as const
      const result = await telemetry.span(start, async (span) => {
        expect(ended).toEqual([])
        span.set({ b: 'two', c: true })
        span.event('halfway')
        return 42
      })
      expect(result).toBe(42)
      expect(ended).toEqual([
        expect.objectContaining({
          name: 'GET /x',
          kind: 'server',
          attributes: { a: 1, b: 'two', c: true },
          events: ['halfway'],
          failed: false,
          parentId: null,
        }),
      ])
    })

    it('passes an error on, and records its name without its message', async () => {
      const { telemetry, ended } = make()
      const error = new RangeError('token=secret')
      const failing = telemetry.span({ name: 'x' }, () => Promise.reject(error))
      await expect(failing).rejects.toBe(error)
      expect(ended[0]).toMatchObject({ failed: true, attributes: { 'error.type': 'RangeError' } })
      expect(JSON.stringify(ended)).not.toContain('secret')
    })

    it('records the type that the work has set for its failure', async () => {
      const { telemetry, ended } = make()
      const failing = telemetry.span({ name: 'x' }, async (span) => {
        span.fail('timeout')
        throw new Error('gone')
      })
      await expect(failing).rejects.toThrow('gone')
      await telemetry.span({ name: 'y' }, async (span) => span.fail('503'))
      expect(ended.map(({ failed, attributes }) => [failed, attributes['error.type']])).toEqual([
        [true, 'timeout'],
        [true, '503'],
      ])
    })

    it('makes a span a child of the active one, also beside others and after a wait', async () => {
      const { telemetry, ended } = make()
      const turn = async (own: string) =>
        telemetry.span({ name: own }, async () => {
          await Promise.resolve()
          await telemetry.span({ name: `${own} inside` }, async () => {})
        })
      await Promise.all([turn('a'), turn('b')])
      const spanOf = (own: string) => ended.find((span) => span.name === own)
      for (const own of ['a', 'b'])
        expect([spanOf(`${own} inside`)?.parentId, spanOf(`${own} inside`)?.traceId]).toEqual([
          spanOf(own)?.spanId,
          spanOf(own)?.traceId,
        ])
      expect(spanOf('a')?.traceId).not.toBe(spanOf('b')?.traceId)
    })

    it('continues a trace of another service, and gives the context for the next one', async () => {
      const { telemetry, ended } = make()
      const parent = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' }
      expect(telemetry.context()).toBeNull()
      const context = await telemetry.span({ name: 'x', parent }, async () => telemetry.context())
      expect(ended[0]).toMatchObject({ traceId: TRACE, parentId: PARENT })
      expect(context).toEqual({
        traceparent: `00-${TRACE}-${ended[0]?.spanId}-01`,
        tracestate: 'vendor=1',
      })
      expect(telemetry.context()).toBeNull()
    })

    it('begins a new trace if the parent is not valid', async () => {
      const { telemetry, ended } = make()
      const parent = { traceparent: 'nonsense' }
      await telemetry.span({ name: 'x', parent }, async () => {})
      expect(ended[0]?.parentId).toBeNull()
    })

    it('records counters and histograms', () => {
      const { telemetry, measured } = make()
      telemetry.count(METRIC, 2, { kind: 'a' })
      telemetry.count(METRIC, 3, {})
      telemetry.record({ ...METRIC, name: 'seine.time', boundaries: [1, 2] }, 0.25, { ok: true })
      expect(measured).toEqual([
        { name: 'seine.test', value: 2, attributes: { kind: 'a' } },
        { name: 'seine.test', value: 3, attributes: {} },
        { name: 'seine.time', value: 0.25, attributes: { ok: true } },
      ])
    })

    it('reads gauges when the backend asks, until they are stopped; a failed reading gives no value', async () => {
      const { telemetry, collect } = make()
      let value = 5
      const stop = telemetry.observe(METRIC, async () => {
        if (value < 0) throw new Error('closed')
        return [{ value, attributes: { lane: 'long' } }]
      })
      expect(await collect()).toEqual([
        { name: 'seine.test', value: 5, attributes: { lane: 'long' } },
      ])
      value = -1
      expect(await collect()).toEqual([])
      value = 7
      stop()
      expect(await collect()).toEqual([])
    })
  })
}
