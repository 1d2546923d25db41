/**
 * Metrics for Prometheus.
 *
 * @module
 */
import { checkOptions, callback } from '../../src/kernel/options.ts'
import type { Attributes, Metric, Observation, Telemetry } from '../../src/ports/telemetry.ts'

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

/** Options of {@link createPrometheus}. */
export interface PrometheusOptions {
  /**
   * Reads facts of the process: processor time in seconds, resident memory in bytes, and the start
   * in Unix seconds. Default: those of `process`, where the runtime has it.
   */
  readonly readProcess?: () => ProcessFacts | null
}

/** Facts of a process that Prometheus' client libraries report. */
export interface ProcessFacts {
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly startedAtSeconds: number
}

/** A telemetry whose metrics Prometheus collects. It traces nothing. */
export interface Prometheus extends Telemetry {
  /** All metrics in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>
  /** Answers `GET` with {@link text}; for a path or a port that strangers cannot reach. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** Upper bounds in seconds, where a histogram does not name them: those of OpenTelemetry. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/**
 * Maximum number of series of a metric. Attributes usually have few values; this limit holds if one
 * has many. Further values are counted in one series without attributes.
 */
const MOST_SERIES = 1_000
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A counter or a histogram with a value for each set of attributes. */
interface Instrument {
  readonly metric: Metric
  readonly kind: 'counter' | 'histogram'
  readonly series: Map<string, Series>
}

interface Series {
  readonly labels: string
  sum: number
  count: number
  /** For a histogram: the number of values in each bucket, which ends at its bound. */
  readonly buckets: number[]
}

interface Gauge {
  readonly metric: Metric
  readonly readers: Set<() => Promise<readonly Observation[]>>
}

/**
 * Collects the metrics of a platform in memory, for Prometheus to fetch. Names follow the rules by
 * which OpenTelemetry's names become those of Prometheus: `seine.pages` is `seine_pages_total`,
 * `http.server.request.duration` is `http_server_request_duration_seconds`.
 *
 * @example
 *   const metrics = createPrometheus()
 *   const platform = createPlatform({ telemetry: metrics })
 *   console.log(await metrics.text())
 *   await platform.close()
 *
 * @throws {TypeError} for wrong options
 */
export function createPrometheus(options: PrometheusOptions = {}): Prometheus {
  checkOptions<PrometheusOptions>('createPrometheus', options, { readProcess: callback })
  const { readProcess = factsOfProcess } = options
  const instruments = new Map<string, Instrument>()
  const gauges = new Map<string, Gauge>()
  const seriesOf = (metric: Metric, kind: Instrument['kind'], attributes: Attributes): Series => {
    const instrument = instruments.get(metric.name) ?? { metric, kind, series: new Map() }
    instruments.set(metric.name, instrument)
    const labels = labelsOf(attributes)
    const own = instrument.series.has(labels) || instrument.series.size < MOST_SERIES ? labels : ''
    const present = instrument.series.get(own) ?? {
      labels: own,
      sum: 0,
      count: 0,
      buckets: (metric.boundaries ?? BOUNDS).map(() => 0),
    }
    instrument.series.set(own, present)
    return present
  }
  const text = async (): Promise<string> => {
    const lines: string[] = []
    for (const instrument of instruments.values()) writeInstrument(lines, instrument)
    for (const gauge of gauges.values()) await writeGauge(lines, gauge)
    writeProcess(lines, readProcess())
    return `${lines.join('\n')}\n`
  }
  return {
    span: async (_, work) => work({ set() {}, event() {}, fail() {} }),
    context: () => null,
    count(metric, amount, attributes) {
      seriesOf(metric, 'counter', attributes).sum += amount
    },
    record(metric, value, attributes) {
      const series = seriesOf(metric, 'histogram', attributes)
      series.sum += value
      series.count++
      const bucket = (metric.boundaries ?? BOUNDS).findIndex((bound) => value <= bound)
      if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
    },
    observe(metric, read) {
      const gauge = gauges.get(metric.name) ?? { metric, readers: new Set() }
      gauges.set(metric.name, gauge)
      gauge.readers.add(read)
      return () => void gauge.readers.delete(read)
    },
    text,
    async fetch(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
      const body = request.method === 'HEAD' ? null : await text()
      return new Response(body, {
        headers: { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' },
      })
    },
  }
}

function writeInstrument(lines: string[], { metric, kind, series }: Instrument): void {
  const name = nameOf(metric, kind)
  writeHead(lines, name, metric.description, kind)
  for (const { labels, sum, count, buckets } of series.values()) {
    if (kind === 'counter') {
      lines.push(`${name}${inBraces(labels)} ${sum}`)
      continue
    }
    let below = 0
    for (const [index, bound] of (metric.boundaries ?? BOUNDS).entries()) {
      below += buckets[index] ?? 0
      lines.push(`${name}_bucket${inBraces(labels, `le="${bound}"`)} ${below}`)
    }
    lines.push(
      `${name}_bucket${inBraces(labels, 'le="+Inf"')} ${count}`,
      `${name}_sum${inBraces(labels)} ${sum}`,
      `${name}_count${inBraces(labels)} ${count}`,
    )
  }
}

/** A value that can't be read is missing from this answer; the next one asks again. */
async function writeGauge(lines: string[], { metric, readers }: Gauge): Promise<void> {
  const name = nameOf(metric, 'gauge')
  const lists = await Promise.all([...readers].map((read) => read().catch(() => [])))
  writeHead(lines, name, metric.description, 'gauge')
  for (const { value, attributes } of lists.flat())
    lines.push(`${name}${inBraces(labelsOf(attributes))} ${value}`)
}

function writeProcess(lines: string[], facts: ProcessFacts | null): void {
  if (facts === null) return
  const line = (name: string, kind: string, description: string, value: number): void => {
    writeHead(lines, name, description, kind)
    lines.push(`${name} ${value}`)
  }
  line(
    'process_cpu_seconds_total',
    'counter',
    'Processor time of the process, in seconds.',
    facts.cpuSeconds,
  )
  line(
    'process_resident_memory_bytes',
    'gauge',
    'Resident memory of the process, in bytes.',
    facts.residentBytes,
  )
  line(
    'process_start_time_seconds',
    'gauge',
    'Start of the process, in Unix seconds.',
    facts.startedAtSeconds,
  )
}

function factsOfProcess(): ProcessFacts | null {
  const { process } = globalThis
  if (typeof process?.cpuUsage !== 'function') return null
  const { user, system } = process.cpuUsage()
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage().rss,
    startedAtSeconds: performance.timeOrigin / 1_000,
  }
}

function writeHead(lines: string[], name: string, description: string, kind: string): void {
  const help = description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`)
}

function nameOf({ name, unit }: Metric, kind: 'counter' | 'gauge' | 'histogram'): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_:]/g, '_')
  return `${plain}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`
}

/** Labels of attributes that cannot change. Frequent measurements use the same object. */
const constantLabels = new WeakMap<Attributes, string>()

function labelsOf(attributes: Attributes): string {
  const constant = constantLabels.get(attributes)
  if (constant !== undefined) return constant
  const labels = Object.entries(attributes)
    .map(([name, value]) => [labelName(name), String(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
  if (Object.isFrozen(attributes)) constantLabels.set(attributes, labels)
  return labels
}

function labelName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_')
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function inBraces(labels: string, more = ''): string {
  const all = [labels, more].filter((part) => part !== '').join(',')
  return all === '' ? '' : `{${all}}`
}
