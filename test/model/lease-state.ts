import { RULES } from './commits.ts'
import type { Op, Records, Rules } from './commits.ts'
import { freshen } from './versions.ts'

/** Time is counted in thirds of a lease. */
export const LEASE = 3
export type Phase =
  | 'idle'
  | 'reading'
  | 'taking'
  | 'claimed'
  | 'holding'
  | 'settling'
  | 'checking'
  | 'beating'
  | 'ending'
  | 'releasing'

/** A process that takes jobs, and what it has in memory. */
export interface Worker {
  readonly phase: Phase
  readonly isStalled: boolean
  /** True while the queue's lease on its job is its own. */
  readonly hasJob: boolean
  /** True if the fence has the name of its present delivery. */
  readonly isNamed: boolean
  /** True if the counters have the name of its present commit. */
  readonly hasWritten: boolean
  readonly move: number
  readonly fence: number | null
  readonly count: number
  readonly todo: readonly number[]
  /** Pages whose outcome it has and has not committed. */
  readonly got: readonly number[]
  /** The page that it requests. */
  readonly asking: number | null
  /** Time since it last tried to give a sign of life, and since the last that it knows of. */
  readonly tryAge: number
  readonly beatAge: number
  /** Its commit, on the way to the store. */
  readonly op: Op | null
  /** The answer, while it stands still. */
  readonly answer: boolean | null
  /** Copies of its commit whose answers it waits for no more. */
  readonly late: readonly Op[]
}

/** How often each thing may go wrong. */
export interface Budget {
  readonly crashes: number
  readonly stalls: number
  /** Commits whose answer is lost: they were made, or never arrive, or arrive later. */
  readonly losses: number
  /** Commits that are refused as the month of the account was closed. */
  readonly conflicts: number
  /** Pauses, resumes, releases, cancels and jobs that are given up. */
  readonly calls: number
}

/** A state of {@link leaseModel}. */
export interface LeaseState {
  readonly records: Records
  /** Time until the heartbeat is over. */
  readonly left: number
  /** Jobs of the execution that wait for a worker. */
  readonly due: number
  readonly workers: readonly Worker[]
  /** Commits of deliveries that are over. */
  readonly late: readonly Op[]
  /** A call of the API that is on its way to the store. */
  readonly call: Op | null
  readonly budget: Budget
  /**
   * True once a process stood still, or a caller has moved the execution: nobody can tell its
   * holder.
   */
  readonly wasDisturbed: boolean
}

/** The conditions of commits and of workers. Without one of them a promise must break. */
export interface LeaseRules extends Rules {
  /** Commits of a holder renew its lease. */
  readonly renews: boolean
  /** A worker without an answer looks whether its commit was made. */
  readonly compares: boolean
  /** A sign of life that was refused is due again. */
  readonly reminds: boolean
  /** A worker that was overtaken gives its job back if the execution is not over. */
  readonly keepsJob: boolean
}

export const LEASE_RULES: LeaseRules = {
  ...RULES,
  renews: true,
  compares: true,
  reminds: true,
  keepsJob: true,
}

export const IDLE: Worker = {
  phase: 'idle',
  isStalled: false,
  hasJob: false,
  isNamed: false,
  hasWritten: false,
  move: 0,
  fence: null,
  count: 0,
  todo: [],
  got: [],
  asking: null,
  tryAge: 0,
  beatAge: 0,
  op: null,
  answer: null,
  late: [],
}

/** The promise that a state breaks. */
export function brokenBy({ records, due, workers, wasDisturbed }: LeaseState): string | null {
  if (records.broken !== null) return records.broken
  if (records.ends > 1) return 'an execution ends once'
  if (records.paid !== records.settled.length) return 'a page is charged once'
  if (records.status === 'succeeded' && records.waiting.length > 0) return 'no page is left out'
  const asking = workers.filter((worker) => worker.asking !== null).length
  if (asking > 1 && !wasDisturbed) return 'processes that do not stall ask a site one at a time'
  const isOpen = records.status === 'queued' || records.status === 'running'
  if (isOpen && due === 0 && !workers.some(({ hasJob }) => hasJob)) return 'no job is lost'
  return null
}

/**
 * Gives versions and workers that behave the same the same numbers, and leaves out what has no
 * effect any more.
 */
export function canonical(state: LeaseState, rules: LeaseRules): LeaseState {
  const { records, workers, late, call } = state
  const { present, freshOp, freshRef, isHopeless } = freshen(records, rules)
  const living = (ops: readonly Op[]): readonly Op[] =>
    ops.filter((op) => !isHopeless(op)).map(freshOp)
  return {
    ...state,
    records: present,
    left: records.beat === null ? 0 : state.left,
    workers: workers
      .map((worker) => {
        const { phase } = worker
        const isHolding = phase === 'holding' || phase === 'settling' || phase === 'checking'
        return {
          ...worker,
          move: phase === 'reading' && worker.move === records.move ? 1 : 0,
          fence: worker.fence === null ? null : freshRef(worker.fence, records.fence),
          count: isHolding && worker.count === records.count ? 1 : 0,
          isNamed: worker.isNamed && (phase === 'taking' || phase === 'claimed'),
          hasWritten: worker.hasWritten && (phase === 'settling' || phase === 'checking'),
          op: worker.op && freshOp(worker.op),
          late: living(worker.late),
        }
      })
      .map((worker) => ({ worker, key: keyOfWorker(worker) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ worker }) => worker),
    late: living(late),
    call: call && freshOp(call),
  }
}

/** States that behave the same have the same key. */
export function keyOf({
  records,
  left,
  due,
  workers,
  late,
  call,
  budget,
  wasDisturbed,
}: LeaseState): string {
  const { status, fence, beat, waiting, settled, paid, ends, broken } = records
  const { crashes, stalls, losses, conflicts, calls } = budget
  const stored = `${status}${fence}${beat}${left}${waiting}/${settled}/${paid}${ends}${broken}`
  const rest = `${crashes}${stalls}${losses}${conflicts}${calls}${wasDisturbed ? 1 : 0}${due}`
  return `${stored};${rest};${workers.map(keyOfWorker).join(';')};${keyOfOps(late)};${keyOfOp(call)}`
}

function keyOfWorker(worker: Worker): string {
  const { phase, move, fence, count, todo, got, asking, tryAge, beatAge, op, answer, late } = worker
  const { isStalled, hasJob, isNamed, hasWritten } = worker
  if (phase === 'idle') return isStalled ? 'x' : '-'
  const flags = (isStalled ? 1 : 0) + (hasJob ? 2 : 0) + (isNamed ? 4 : 0) + (hasWritten ? 8 : 0)
  const memory = `${todo}/${got}/${asking}${tryAge}${beatAge}${answer}`
  return `${phase}${flags}.${move}${fence}${count}${memory}${keyOfOp(op)}${keyOfOps(late)}`
}

function keyOfOps(ops: readonly Op[]): string {
  return ops.map(keyOfOp).join()
}

function keyOfOp(op: Op | null): string {
  return op === null ? '' : Object.values(op).join('.')
}

/** True while no other process can have the fence, as far as its holder knows. */
export function mayAsk({ tryAge, beatAge }: Worker, { reminds }: LeaseRules): boolean {
  return tryAge < 2 && (beatAge < LEASE || !reminds)
}

/** True after a third of the lease. */
export function mustBeat({ tryAge, beatAge }: Worker, { reminds }: LeaseRules): boolean {
  return (reminds ? beatAge : tryAge) >= 1
}
