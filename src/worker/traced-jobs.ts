import { isObject } from '../kernel/json.ts'
import type { Json } from '../kernel/json.ts'
import { readTraceContext } from '../kernel/http/trace-context.ts'
import type { Clock } from '../ports/clock.ts'
import type { JobHandler } from '../ports/queue.ts'
import type { Attributes, Metric, Telemetry, TraceContext } from '../ports/telemetry.ts'
import { TRACE } from '../records/core.ts'

const DURATION: Metric = {
  name: 'messaging.process.duration',
  unit: 's',
  description: 'Duration of a delivery of a job',
  boundaries: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 7_200],
}

const LEASES_LOST: Metric = {
  name: 'seine.queue.leases.lost',
  unit: '{lease}',
  description: 'Leases of jobs that expired: their worker died, or was silent for too long',
}

/** The ids in a job's data that become attributes, because they name its subject. */
const IDS = ['account', 'execution', 'task', 'dataset', 'webhook'] as const

/**
 * Passes jobs to `handle` as they were requested. With telemetry each delivery is traced, as a part
 * of the trace in which the job was requested.
 */
export function traceJobs(
  handle: JobHandler,
  telemetry: Telemetry | null,
  clock: Clock,
): JobHandler {
  return async (job, signal, turn) => {
    const { data, trace } = takeTrace(job.data)
    const bare = data === job.data ? job : { ...job, data }
    if (telemetry === null) return handle(bare, signal, turn)
    const startedAt = clock.now()
    const common = { 'messaging.operation.name': 'process', 'messaging.destination.name': job.kind }
    // Zero is counted too, so that the metric exists before it first rises.
    telemetry.count(LEASES_LOST, job.isNewlyLost ? 1 : 0, {
      'messaging.destination.name': job.kind,
    })
    const facts: Record<string, string> = {}
    for (const id of IDS) {
      const value = isObject(data) ? data[id] : undefined
      if (typeof value === 'string') facts[`seine.${id}`] = value
    }
    const measure = (more: Attributes) =>
      telemetry.record(DURATION, (clock.now() - startedAt) / 1_000, { ...common, ...more })
    return telemetry.span(
      {
        name: `process ${job.kind}`,
        kind: 'consumer',
        attributes: {
          ...common,
          ...facts,
          'messaging.system': 'seine',
          'messaging.message.id': job.id,
          'seine.job.attempt': job.attempt,
          ...(job.lost > 0 && { 'seine.job.lost': job.lost }),
        },
        parent: trace,
      },
      async (span) => {
        try {
          const result = await handle(bare, signal, turn)
          span.set({ 'seine.job.again': result !== 'done' })
          measure({})
          return result
        } catch (error) {
          measure({ 'error.type': error instanceof Error ? error.name : 'unknown' })
          throw error
        }
      },
    )
  }
}

/** Separates a job's data from its trace, because handlers do not know about traces. */
function takeTrace(data: Json): { readonly data: Json; readonly trace?: TraceContext } {
  if (!isObject(data) || !(TRACE in data)) return { data }
  const { [TRACE]: field, ...rest } = data
  if (!isObject(field)) return { data }
  const trace = readTraceContext(field['traceparent'], field['tracestate'])
  return { data: rest, ...(trace && { trace }) }
}
