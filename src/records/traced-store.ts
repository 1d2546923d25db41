import type { Store } from '../ports/store.ts'
import type { Metric, Telemetry } from '../ports/telemetry.ts'

const COMMITS: Metric = {
  name: 'seine.store.commits',
  unit: '{commit}',
  description: 'Commits by outcome: applied, conflict (a checked record had changed) or failed',
}

/**
 * Counts the commits of a store by outcome, and traces those that belong to a trace. Looks for work
 * belong to none, and would be nothing but noise.
 */
export function traceCommits(store: Store, telemetry: Telemetry): Store['commit'] {
  const commit: Store['commit'] = async (change) => {
    let outcome = 'failed'
    try {
      const isApplied = await store.commit(change)
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
