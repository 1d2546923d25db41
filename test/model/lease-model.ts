import { isOver, mayMove, QUEUED } from './commits.ts'
import type { Model, Step } from './explore.ts'
import { LeaseSteps } from './lease-steps.ts'
import {
  brokenBy,
  canonical,
  IDLE,
  keyOf,
  LEASE_RULES,
  mayAsk,
  mustBeat,
  LEASE,
} from './lease-state.ts'
import type { Budget, LeaseRules, LeaseState } from './lease-state.ts'
import { work } from './worker.ts'
import { arrive, suffer } from './worker-fates.ts'

/** Options of {@link leaseModel}. */
export interface LeaseOptions {
  readonly workers: number
  /** Start pages: 0 leads to page 2. */
  readonly pages: readonly number[]
  readonly budget: Budget
  /** Deliveries of its job: a queue may deliver one twice. Default: 1. */
  readonly jobs?: number
  readonly rules?: LeaseRules
}

/**
 * One execution, its jobs and its workers: leases, the fence, commits and calls of the API. A step
 * is what one process or the store does at once.
 */
export function leaseModel({
  workers,
  pages,
  budget,
  jobs = 1,
  rules = LEASE_RULES,
}: LeaseOptions): Model<LeaseState> {
  const first: LeaseState = {
    records: { ...QUEUED, waiting: pages },
    left: 0,
    due: jobs,
    workers: Array.from({ length: workers }, () => IDLE),
    late: [],
    call: null,
    budget,
    wasDisturbed: false,
  }
  return {
    first: canonical(first, rules),
    keyOf,
    stepsOf: (state) => stepsOf(state, rules),
    brokenBy,
    isEnd: ({ records }) => isOver(records.status) || records.status === 'paused',
  }
}

function stepsOf(state: LeaseState, rules: LeaseRules): readonly Step<LeaseState>[] {
  const steps = new LeaseSteps(state, rules)
  for (const [index, worker] of steps.state.workers.entries()) {
    if (!worker.isStalled) work(steps, index, worker)
    arrive(steps, index, worker)
    suffer(steps, index, worker)
  }
  callApi(steps)
  for (const [index, op] of steps.state.late.entries()) {
    const late = steps.state.late.toSpliced(index, 1)
    steps.add(`a late ${op.kind} arrives`, steps.made({ ...steps.state, late }, op).state)
    steps.add(`a late ${op.kind} is lost`, { ...steps.state, late })
  }
  tick(steps)
  return steps.list
}

function callApi(steps: LeaseSteps): void {
  const { call, records, budget } = steps.state
  if (call === null) {
    if (budget.calls === 0) return
    for (const to of ['paused', 'queued', 'cancelled', 'failed'] as const) {
      if (!mayMove(records.status, to)) continue
      const { move, count } = records
      steps.add(
        `a caller asks for ${to}`,
        {
          ...steps.state,
          call: { kind: 'move', to, move, ...(isOver(to) && { count }) },
          wasDisturbed: true,
          budget: { ...budget, calls: budget.calls - 1 },
        },
        true,
      )
    }
    return
  }
  const { state, isMade } = steps.made({ ...steps.state, call: null }, call)
  steps.add(`the call is ${isMade ? 'made' : 'refused'}`, state)
}

/** A third of a lease goes by. Processes that do not stall renew theirs before. */
function tick(steps: LeaseSteps): void {
  const { left, workers } = steps.state
  const isWaiting = workers.some(
    (worker) =>
      worker.phase === 'holding' &&
      !worker.isStalled &&
      mustBeat(worker, steps.rules) &&
      mayAsk(worker, steps.rules),
  )
  if (isWaiting) return
  const next = workers.map((worker) => {
    if (worker.phase === 'idle' || worker.phase === 'reading') return worker
    const aged = {
      ...worker,
      tryAge: Math.min(2, worker.tryAge + 1),
      beatAge: Math.min(LEASE, worker.beatAge + 1),
    }
    return mayAsk(aged, steps.rules) || worker.isStalled ? aged : { ...aged, asking: null }
  })
  steps.add('time goes by', { ...steps.state, left: Math.max(0, left - 1), workers: next })
}
