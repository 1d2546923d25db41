import { describe, expect, it } from 'vitest'
import type { Attributes, SpanKind, Telemetry } from '../../src/ports/telemetry.ts'

/** A span that has ended, as the backend has it. */
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

/** A value that the backend has got. */
export interface Measured {
  readonly name: string
  readonly value: number
  readonly attributes: Attributes
}

/** Telemetry to hold against the contract, with what its backend got. */
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
 * What every adapter of the Telemetry port does. `make` is called once a test.
 *
 * @example
 *   declare const makeTelemetry: () => TelemetrySubject
 *   telemetryContract('My telemetry', makeTelemetry)
 */
export function telemetryContract(name: string, make: () => TelemetrySubject): void {
  describe(`${name} keeps the Telemetry contract`, () => {
    it('gives what the work gives, and a span with what was said of it', async () => {
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

    it('lets an error through, and keeps its name without its message', async () => {
      const { telemetry, ended } = make()
      const error = new RangeError('token=secret')
      const failing = telemetry.span({ name: 'x' }, () => Promise.reject(error))
      await expect(failing).rejects.toBe(error)
      expect(ended[0]).toMatchObject({ failed: true, attributes: { 'error.type': 'RangeError' } })
      expect(JSON.stringify(ended)).not.toContain('secret')
    })

    it('keeps the type that the work gave for its failure', async () => {
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

    it('puts a span into the one that is active, also beside others and after waiting', async () => {
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

    it('continues a trace from elsewhere, and tells where it is', async () => {
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

    it('begins a trace of its own where the parent is none', async () => {
      const { telemetry, ended } = make()
      const parent = { traceparent: 'nonsense' }
      await telemetry.span({ name: 'x', parent }, async () => {})
      expect(ended[0]?.parentId).toBeNull()
    })

    it('counts and measures', () => {
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

    it('observes when it is asked, until it is stopped; a failed reading is none', async () => {
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
