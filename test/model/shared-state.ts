import { RULES } from './commits.ts'
import type { MemberPage, Op, Records, Rules } from './commits.ts'
import { freshen } from './versions.ts'

/** A process that coordinates, or did before it was overtaken. */
export interface Coordinator {
  readonly phase: 'idle' | 'opening' | 'holding' | 'sending' | 'checking'
  readonly fence: number
  readonly count: number
  readonly todo: readonly number[]
  readonly assigned: readonly MemberPage[]
  /** Pages that it visits itself after a member was lost. */
  readonly own: readonly number[]
  /** Outcomes that are not committed, and the assignments that they come from. */
  readonly ready: readonly { readonly page: number; readonly from: MemberPage | null }[]
  readonly op: Op | null
  readonly hasWritten: boolean
}

/** A helper, and its present membership. */
export interface Member {
  readonly phase: 'out' | 'in' | 'reporting' | 'reading'
  readonly id: number
  /** The membership as it has read it last. */
  readonly turn: number
  readonly seen: readonly number[]
  readonly doing: readonly number[]
  readonly unreported: readonly MemberPage[]
  readonly op: Extract<Op, { kind: 'report' }> | null
  /** The reports that its membership has since gained. */
  readonly landed: readonly MemberPage[] | null
}

/** How often each thing may happen. */
export interface SharedBudget {
  readonly crashes: number
  /** Coordinators and members whose lease is over although they live. */
  readonly stalls: number
  /** Commits whose answer is lost: they were made, or never arrive, or arrive later. */
  readonly losses: number
  readonly joins: number
}

/** A state of {@link sharedModel}. */
export interface SharedState {
  readonly records: Records
  readonly coordinators: readonly Coordinator[]
  readonly members: readonly Member[]
  /** Commits whose answers nobody waits for. */
  readonly late: readonly {
    readonly op: Op
    readonly coordinator: number
    readonly member: number
  }[]
  readonly budget: SharedBudget
}

/** The conditions of commits and of helpers. Without one of them a promise must break. */
export interface SharedRules extends Rules {
  /** A helper counts the reports of a commit whose answer was lost. */
  readonly counts: boolean
}

export const SHARED_RULES: SharedRules = { ...RULES, counts: true }

export const IDLE: Coordinator = {
  phase: 'idle',
  fence: 0,
  count: 0,
  todo: [],
  assigned: [],
  own: [],
  ready: [],
  op: null,
  hasWritten: false,
}

export const OUT: Member = {
  phase: 'out',
  id: -1,
  turn: 0,
  seen: [],
  doing: [],
  unreported: [],
  op: null,
  landed: null,
}

/** The promise that a state breaks. */
export function brokenBy({ records }: SharedState): string | null {
  const { broken, ends, paid, settled, waiting, status, reports, members } = records
  if (broken !== null) return broken
  if (ends > 1) return 'an execution ends once'
  if (paid !== settled.length) return 'a page is charged once'
  if (status === 'succeeded' && waiting.length > 0) return 'no page is left out'
  if (reports.some(({ member }) => !members.some(({ id }) => id === member)))
    return 'reports belong to members'
  return null
}

/** Gives versions and orders that behave the same the same numbers. */
export function canonical(state: SharedState, rules: SharedRules): SharedState {
  const { records } = state
  const { present, freshOp, freshRef, isHopeless } = freshen(records, rules)
  const turnOf = (id: number): number | null =>
    records.members.find((member) => member.id === id)?.turn ?? null
  return {
    ...state,
    records: present,
    coordinators: state.coordinators
      .map((one) => {
        const fence = freshRef(one.fence, records.fence)
        // All its commits would be refused.
        if (rules.fence && fence === 0) return IDLE
        return {
          ...one,
          fence,
          count: freshRef(one.count, records.count),
          op: one.op && freshOp(one.op),
          assigned: byPage(one.assigned),
          ready: byPage(one.ready),
        }
      })
      .toSorted((a, b) => b.fence - a.fence),
    members: state.members.map((one) => {
      const op = one.op && freshOp(one.op)
      return {
        ...one,
        turn: freshRef(one.turn, turnOf(one.id)),
        op: op?.kind === 'report' ? op : null,
        seen: one.seen.toSorted((a, b) => a - b),
        doing: one.doing.toSorted((a, b) => a - b),
        unreported: byPage(one.unreported),
      }
    }),
    late: state.late
      .filter(({ op }) => !isHopeless(op))
      .map((one) => ({ ...one, op: freshOp(one.op) })),
  }
}

function byPage<T extends { readonly page: number }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => a.page - b.page)
}
