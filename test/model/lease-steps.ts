import { apply } from './commits.ts'
import type { Op } from './commits.ts'
import type { Step } from './explore.ts'
import { canonical, IDLE, LEASE } from './lease-state.ts'
import type { LeaseRules, LeaseState, Worker } from './lease-state.ts'

/** The steps of one state of an execution and its workers, as they are collected. */
export class LeaseSteps {
  readonly state: LeaseState
  readonly rules: LeaseRules
  readonly list: Step<LeaseState>[] = []

  constructor(state: LeaseState, rules: LeaseRules) {
    this.state = state
    this.rules = rules
  }

  add(name: string, next: LeaseState, isFault = false): void {
    this.list.push({ name, next: canonical(next, this.rules), isFault })
  }

  with(index: number, worker: Worker, rest: Partial<LeaseState> = {}): LeaseState {
    return { ...this.state, ...rest, workers: this.state.workers.with(index, worker) }
  }

  /** The state after a commit, and whether it was made. `by`: who has its name. */
  made(
    state: LeaseState,
    op: Op,
    by = -1,
  ): { readonly state: LeaseState; readonly isMade: boolean } {
    const records = apply(state.records, op, this.rules)
    if (typeof records === 'string') return { state, isMade: false }
    const { renews } = this.rules
    const beats = op.kind === 'beat' || (op.kind === 'settle' && op.beats)
    const workers = state.workers.map((worker, index) => ({
      ...worker,
      ...((op.kind === 'take' || records.fence === null) && {
        isNamed: op.kind === 'take' && index === by,
      }),
      ...(op.kind === 'settle' && { hasWritten: index === by }),
    }))
    return {
      isMade: true,
      state: {
        ...state,
        workers,
        records,
        left: op.kind === 'take' || (beats && renews) ? LEASE : state.left,
        // A queued execution gets a job in the same commit.
        due: state.due + (op.kind === 'move' && op.to === 'queued' ? 1 : 0),
      },
    }
  }

  /** The worker has left: its job is done, or is due again. */
  left(state: LeaseState, index: number, isAgain: boolean): LeaseState {
    const { status } = state.records
    const isOpen = status === 'queued' || status === 'running'
    const again = isAgain || (isOpen && this.rules.keepsJob)
    const { hasJob = false, late = [] } = state.workers[index] ?? {}
    return {
      ...state,
      workers: state.workers.with(index, IDLE),
      due: state.due + (again && hasJob ? 1 : 0),
      // One is enough to be late.
      late: [...state.late, ...late].slice(0, 1),
    }
  }
}
