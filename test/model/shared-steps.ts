import { apply } from './commits.ts'
import type { MemberPage, Op } from './commits.ts'
import type { Step } from './explore.ts'
import { canonical } from './shared-state.ts'
import type { Coordinator, Member, SharedBudget, SharedRules, SharedState } from './shared-state.ts'

export function isOf(page: number): (one: MemberPage) => boolean {
  return (one) => one.page === page
}

/** The steps of one state of a shared crawl, as they are collected. */
export class SharedSteps {
  readonly state: SharedState
  readonly rules: SharedRules
  readonly list: Step<SharedState>[] = []

  constructor(state: SharedState, rules: SharedRules) {
    this.state = state
    this.rules = rules
  }

  add(name: string, next: SharedState, isFault = false): void {
    this.list.push({ name, next: canonical(next, this.rules), isFault })
  }

  /** The state after a commit of one of them, whether it was made or refused. */
  made(state: SharedState, op: Op, coordinator: number, member: number): SharedState {
    const records = apply(state.records, op, this.rules)
    if (typeof records === 'string') return state
    return {
      ...state,
      records,
      coordinators: state.coordinators.map((one, index) =>
        op.kind === 'settle' ? { ...one, hasWritten: index === coordinator } : one,
      ),
      members: state.members.map((one, index) =>
        op.kind === 'report' && index === member && one.id === op.member
          ? { ...one, landed: op.reports }
          : one,
      ),
    }
  }

  withCoordinator(index: number, coordinator: Coordinator, state = this.state): SharedState {
    return { ...state, coordinators: state.coordinators.with(index, coordinator) }
  }

  withMember(index: number, member: Member, state = this.state): SharedState {
    return { ...state, members: state.members.with(index, member) }
  }

  spend(kind: keyof SharedBudget, state = this.state): SharedState | null {
    const { budget } = state
    return budget[kind] === 0 ? null : { ...state, budget: { ...budget, [kind]: budget[kind] - 1 } }
  }
}
