import type { ExecutionStatus } from '../../src/features/executions/records.ts'

/** An assignment or a report of a member. */
export interface MemberPage {
  readonly member: number
  readonly number: number
  readonly page: number
}

/**
 * The records of one execution, as far as its commits depend on them. Versions are numbers, and
 * `null` for a record that is absent.
 */
export interface Records {
  readonly status: ExecutionStatus
  /** Version of the execution. */
  readonly move: number
  /** Names the holder: each take has a new one. */
  readonly fence: number | null
  /** Version of the heartbeat. */
  readonly beat: number | null
  /** Version of the counters. */
  readonly count: number
  /** The frontier. */
  readonly waiting: readonly number[]
  /** Pages with an outcome. */
  readonly settled: readonly number[]
  /** Pages that were charged, or their credits. */
  readonly paid: number
  /** Moves to a final state. */
  readonly ends: number
  /** True if helpers may join. */
  readonly isOpen: boolean
  readonly members: readonly { readonly id: number; readonly turn: number }[]
  readonly assigned: readonly MemberPage[]
  readonly reports: readonly MemberPage[]
  /** The first promise that a commit has broken. */
  readonly broken: string | null
}

/** An execution that was just queued, with its start pages. */
export const QUEUED: Records = {
  status: 'queued',
  move: 1,
  fence: null,
  beat: null,
  count: 1,
  waiting: [],
  settled: [],
  paid: 0,
  ends: 0,
  isOpen: false,
  members: [],
  assigned: [],
  reports: [],
  broken: null,
}

/** A commit with the versions that it depends on, as its writer has read them. */
export type Op =
  | { readonly kind: 'take'; readonly move: number; readonly beat: number | null }
  | {
      readonly kind: 'settle'
      readonly fence: number
      readonly count: number
      readonly done: readonly number[]
      readonly added: readonly number[]
      readonly credits: number
      readonly beats: boolean
      /** Assignments and reports of the pages that members visited. */
      readonly ended: readonly MemberPage[]
    }
  | { readonly kind: 'beat' | 'release' | 'open'; readonly fence: number }
  | {
      readonly kind: 'move'
      readonly to: ExecutionStatus
      readonly move: number
      /** Absent: not by the holder. */
      readonly fence?: number
      /** Absent: the move is not an end. */
      readonly count?: number
    }
  | { readonly kind: 'join'; readonly member: number }
  | {
      readonly kind: 'report'
      readonly member: number
      readonly turn: number
      readonly reports: readonly MemberPage[]
    }
  | {
      readonly kind: 'send'
      readonly fence: number
      readonly assigned: readonly MemberPage[]
      readonly ended: readonly MemberPage[]
      readonly read: readonly MemberPage[]
    }
  | {
      readonly kind: 'dismiss'
      readonly fence: number
      readonly member: number
      readonly turn: number
    }

/** The conditions of commits. Without one of them a promise must break. */
export interface Rules {
  readonly fence: boolean
  readonly count: boolean
  readonly move: boolean
  /** Reports depend on their membership. */
  readonly turn: boolean
}

export const RULES: Rules = { fence: true, count: true, move: true, turn: true }

/** The pages that each page of a model leads to. */
export const LINKS: Readonly<Record<number, readonly number[]>> = { 0: [2] }

/** A version that no writer has read before. Versions that are read are 0 (old) and 1 (present). */
export const FRESH = 9

const MOVES: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  queued: ['running', 'paused', 'cancelled', 'queued'],
  running: ['succeeded', 'failed', 'cancelled', 'timed_out', 'paused', 'queued'],
  paused: ['queued', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  timed_out: [],
}

/** True for a state that never changes again. */
export function isOver(status: ExecutionStatus): boolean {
  return MOVES[status].length === 0
}

/** True if the API lets an execution move so. */
export function mayMove(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return MOVES[from].includes(to)
}

/**
 * Applies a commit. Returns the name of the first condition that does not hold if it is refused.
 *
 * @param token The new fence of a take.
 */
export function apply(records: Records, op: Op, rules: Rules, token = FRESH): Records | string {
  if ('fence' in op && op.fence !== undefined && rules.fence && op.fence !== records.fence)
    return 'fence'
  if ('count' in op && op.count !== undefined && rules.count && op.count !== records.count)
    return 'count'
  if ('move' in op && rules.move && op.move !== records.move) return 'move'
  switch (op.kind) {
    case 'take':
      if (records.status !== 'queued' && records.status !== 'running') return 'status'
      if (op.beat !== records.beat) return 'beat'
      return {
        ...records,
        ...(records.status === 'queued' && { status: 'running', move: records.move + 1 }),
        fence: token,
        beat: token,
      }
    case 'settle':
      return settle(records, op)
    case 'beat':
      return { ...records, beat: FRESH }
    case 'release':
      return { ...records, beat: null }
    case 'open':
      return { ...records, isOpen: true }
    case 'move':
      return moved(records, op.to)
    case 'join':
      if (!records.isOpen) return 'open'
      if (records.members.some(({ id }) => id === op.member)) return 'absent'
      return { ...records, members: [...records.members, { id: op.member, turn: 1 }] }
    case 'report': {
      const member = records.members.find(({ id }) => id === op.member)
      if (rules.turn && !member) return 'member'
      if (rules.turn && member?.turn !== op.turn) return 'turn'
      return {
        ...records,
        members: withTurn(records, op.member, FRESH),
        reports: withAll(records.reports, op.reports),
      }
    }
    case 'send':
      return {
        ...records,
        assigned: withAll(without(records.assigned, op.ended), op.assigned),
        reports: without(records.reports, op.read),
      }
    case 'dismiss': {
      const member = records.members.find(({ id }) => id === op.member)
      if (!member) return 'member'
      if (member.turn !== op.turn) return 'turn'
      const isOthers = (one: MemberPage): boolean => one.member !== op.member
      return {
        ...records,
        members: records.members.filter(({ id }) => id !== op.member),
        assigned: records.assigned.filter(isOthers),
        reports: records.reports.filter(isOthers),
      }
    }
  }
}

function settle(records: Records, op: Extract<Op, { kind: 'settle' }>): Records {
  const { waiting, settled } = records
  const isNewPage = op.added.every((page) => !waiting.includes(page) && !settled.includes(page))
  const isOnce = op.done.every((page) => !settled.includes(page))
  const isDue = op.done.every((page) => waiting.includes(page) || op.added.includes(page))
  return {
    ...records,
    count: records.count + 1,
    beat: op.beats ? FRESH : records.beat,
    waiting: sorted([...waiting, ...op.added].filter((page) => !op.done.includes(page))),
    settled: sorted([...settled, ...op.done]),
    paid: records.paid + op.credits,
    assigned: without(records.assigned, op.ended),
    reports: without(records.reports, op.ended),
    broken:
      records.broken ??
      (isOver(records.status)
        ? 'a finished execution gets no outcomes'
        : !isOnce
          ? 'a page has one outcome'
          : !isNewPage
            ? 'a page is found once'
            : isDue
              ? null
              : 'only waiting pages get an outcome'),
  }
}

function moved(records: Records, to: ExecutionStatus): Records {
  const { status } = records
  return {
    ...records,
    status: to,
    move: records.move + 1,
    ...(status === 'running' && { fence: null, beat: null }),
    ends: records.ends + (isOver(to) ? 1 : 0),
    broken:
      records.broken ?? (mayMove(status, to) ? null : 'an execution moves as its states allow'),
  }
}

function withTurn(records: Records, member: number, turn: number): Records['members'] {
  return records.members.map((one) => (one.id === member ? { ...one, turn } : one))
}

function isSame(a: MemberPage, b: MemberPage): boolean {
  return a.member === b.member && a.number === b.number
}

function without(list: readonly MemberPage[], gone: readonly MemberPage[]): readonly MemberPage[] {
  return gone.length === 0 ? list : list.filter((one) => !gone.some((other) => isSame(one, other)))
}

function withAll(list: readonly MemberPage[], added: readonly MemberPage[]): readonly MemberPage[] {
  return [...without(list, added), ...added].toSorted(
    (a, b) => a.member - b.member || a.number - b.number,
  )
}

function sorted(pages: readonly number[]): readonly number[] {
  return pages.toSorted((a, b) => a - b)
}
