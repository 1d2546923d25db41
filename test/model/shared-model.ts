import { isOver, QUEUED } from './commits.ts'
import { coordinate } from './coordinator.ts'
import type { Model, Step } from './explore.ts'
import { help } from './helper.ts'
import { SharedSteps } from './shared-steps.ts'
import { brokenBy, canonical, IDLE, OUT, SHARED_RULES } from './shared-state.ts'
import type { SharedBudget, SharedRules, SharedState } from './shared-state.ts'

/** Options of {@link sharedModel}. */
export interface SharedOptions {
  readonly coordinators: number
  readonly members: number
  readonly pages: readonly number[]
  readonly budget: SharedBudget
  readonly rules?: SharedRules
}

/**
 * One shared execution: coordinators, of which the last to take the fence may write, and helpers
 * with assignments and reports. A lease is over at any time, as clocks may be wrong.
 */
export function sharedModel({
  coordinators,
  members,
  pages,
  budget,
  rules = SHARED_RULES,
}: SharedOptions): Model<SharedState> {
  const first: SharedState = {
    records: { ...QUEUED, status: 'running', waiting: pages },
    coordinators: Array.from({ length: coordinators }, () => IDLE),
    members: Array.from({ length: members }, () => OUT),
    late: [],
    budget,
  }
  return {
    first: canonical(first, rules),
    keyOf: (state) => JSON.stringify(state),
    stepsOf: (state) => stepsOf(state, rules),
    brokenBy,
    isEnd: ({ records }) => isOver(records.status),
  }
}

function stepsOf(state: SharedState, rules: SharedRules): readonly Step<SharedState>[] {
  const steps = new SharedSteps(state, rules)
  const { coordinators, members, late } = steps.state
  for (const [index, one] of coordinators.entries()) coordinate(steps, index, one)
  for (const [index, one] of members.entries()) help(steps, index, one)
  for (const [index, { op, coordinator, member }] of late.entries()) {
    const rest = { ...steps.state, late: late.toSpliced(index, 1) }
    steps.add(`a late ${op.kind} arrives`, steps.made(rest, op, coordinator, member))
    steps.add(`a late ${op.kind} is lost`, rest)
  }
  return steps.list
}
