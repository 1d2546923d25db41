import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Attributes, Metric, Telemetry } from '../ports/telemetry.ts'

const COMMITS: Metric = {
  name: 'seine.store.commits',
  unit: '{commit}',
  description: 'Commits by outcome: applied, conflict (a checked record had changed) or failed',
}
const DURATION: Metric = {
  name: 'seine.store.duration',
  unit: 's',
  description: 'Duration of calls of the store, in whole milliseconds, by operation',
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
}

/**
 * Measures the calls of a store, counts its commits by outcome, and traces those that belong to a
 * trace. Polls for work belong to no trace, and would only add noise.
 */
export function traceStore(store: Store, telemetry: Telemetry, clock: Clock): Store {
  const timed = <Input, Answer>(
    operation: string,
    call: (input: Input) => Promise<Answer>,
  ): ((input: Input) => Promise<Answer>) => {
    // The objects are frozen, so their labels need to be written only once.
    const attributes: Attributes = Object.freeze({ 'seine.store.operation': operation })
    return async (input) => {
      const startedAt = clock.now()
      const measure = (facts: Attributes): void =>
        telemetry.record(DURATION, Math.max(0, clock.now() - startedAt) / 1_000, facts)
      try {
        const answer = await call(input)
        measure(attributes)
        return answer
      } catch (error) {
        const type = error instanceof Error ? error.name : 'unknown'
        measure({ ...attributes, 'error.type': type })
        throw error
      }
    }
  }
  return {
    get: timed('get', (keys) => store.get(keys)),
    list: timed('list', (range) => store.list(range)),
    commit: traceCommits(
      timed('commit', (change) => store.commit(change)),
      telemetry,
    ),
    close: () => store.close(),
  }
}

function traceCommits(made: Store['commit'], telemetry: Telemetry): Store['commit'] {
  const commit: Store['commit'] = async (change) => {
    let outcome = 'failed'
    try {
      const isApplied = await made(change)
      outcome = isApplied ? 'applied' : 'conflict'
      return isApplied
    } finally {
      telemetry.count(COMMITS, 1, { 'seine.commit.outcome': outcome })
    }
  }
  return async (change) => {
    if (telemetry.context() === null) return commit(change)
    const { check = [], set = [], delete: removed = [], add = [] } = change
    return telemetry.span(
      {
        name: 'commit',
        attributes: {
          'seine.commit.checks': check.length,
          'seine.commit.writes': set.length + removed.length + add.length,
        },
      },
      async (span) => {
        const isApplied = await commit(change)
        if (!isApplied) span.event('conflict')
        return isApplied
      },
    )
  }
}
