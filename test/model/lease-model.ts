import { apply, isOver, mayMove, QUEUED } from './commits.ts'
import type { Op } from './commits.ts'
import type { Model, Step } from './explore.ts'
import {
  brokenBy,
  canonical,
  IDLE,
  keyOf,
  LEASE,
  LEASE_RULES,
  mayAsk,
  mustBeat,
} from './lease-state.ts'
import type { Budget, LeaseRules, LeaseState, Phase, Worker } from './lease-state.ts'

/** The pages that each page leads to. */
const LINKS: Readonly<Record<number, readonly number[]>> = { 0: [2] }

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
    stepsOf: (state) => new Steps(state, rules).all(),
    brokenBy,
    isEnd: ({ records }) => isOver(records.status) || records.status === 'paused',
  }
}

/** The steps of one state. */
class Steps {
  readonly #state: LeaseState
  readonly #rules: LeaseRules
  readonly #steps: Step<LeaseState>[] = []

  constructor(state: LeaseState, rules: LeaseRules) {
    this.#state = state
    this.#rules = rules
  }

  all(): readonly Step<LeaseState>[] {
    for (const [index, worker] of this.#state.workers.entries()) {
      if (!worker.isStalled) this.#work(index, worker)
      this.#arrive(index, worker)
      this.#suffer(index, worker)
    }
    this.#call()
    for (const [index, op] of this.#state.late.entries()) {
      const late = this.#state.late.toSpliced(index, 1)
      this.#add(`a late ${op.kind} arrives`, this.#made({ ...this.#state, late }, op).state)
      this.#add(`a late ${op.kind} is lost`, { ...this.#state, late })
    }
    this.#tick()
    return this.#steps
  }

  #add(name: string, next: LeaseState, isFault = false): void {
    this.#steps.push({ name, next: canonical(next, this.#rules), isFault })
  }

  #with(index: number, worker: Worker, rest: Partial<LeaseState> = {}): LeaseState {
    return { ...this.#state, ...rest, workers: this.#state.workers.with(index, worker) }
  }

  /** The state after a commit, and whether it was made. `by`: who has its name. */
  #made(
    state: LeaseState,
    op: Op,
    by = -1,
  ): { readonly state: LeaseState; readonly isMade: boolean } {
    const records = apply(state.records, op, this.#rules)
    if (typeof records === 'string') return { state, isMade: false }
    const { renews } = this.#rules
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
  #left(state: LeaseState, index: number, isAgain: boolean): LeaseState {
    const { status } = state.records
    const isOpen = status === 'queued' || status === 'running'
    const again = isAgain || (isOpen && this.#rules.keepsJob)
    const { hasJob = false, late = [] } = state.workers[index] ?? {}
    return {
      ...state,
      workers: state.workers.with(index, IDLE),
      due: state.due + (again && hasJob ? 1 : 0),
      // One is enough to be late.
      late: [...state.late, ...late].slice(0, 1),
    }
  }

  #work(index: number, worker: Worker): void {
    const { records, due, left } = this.#state
    const name = `worker ${index}`
    const isOpen = records.status === 'queued' || records.status === 'running'
    const send = (phase: Phase, op: Op, more: Partial<Worker> = {}): LeaseState =>
      this.#with(index, { ...worker, ...more, phase, op, hasWritten: false })
    switch (worker.phase) {
      case 'idle':
        if (due > 0)
          this.#add(
            `${name} takes a job and reads that it is ${records.status}`,
            isOpen
              ? this.#with(
                  index,
                  { ...IDLE, phase: 'reading', hasJob: true, move: records.move },
                  { due: due - 1 },
                )
              : { ...this.#state, due: due - 1 },
          )
        return
      case 'reading':
        if (records.beat !== null && left > 0)
          this.#add(`${name} waits for another holder`, this.#left(this.#state, index, true))
        else
          this.#add(
            `${name} takes the fence`,
            send(
              'taking',
              { kind: 'take', move: worker.move, beat: records.beat },
              { tryAge: 0, beatAge: 0 },
            ),
          )
        return
      case 'claimed':
        this.#add(
          worker.isNamed
            ? `${name} reads its fence and the frontier`
            : `${name} has lost the fence`,
          worker.isNamed
            ? this.#with(index, {
                ...worker,
                phase: 'holding',
                fence: records.fence,
                count: records.count,
                todo: records.waiting,
              })
            : this.#left(this.#state, index, true),
        )
        return
      case 'checking':
        this.#check(index, worker)
        return
      case 'holding':
        this.#hold(index, worker, send)
        return
      default:
        // Its commit is on the way.
        if (worker.answer !== null)
          this.#add(
            `${name} hears the answer`,
            this.#answered(this.#with(index, { ...worker, answer: null }), index, worker.answer),
          )
    }
  }

  #hold(
    index: number,
    worker: Worker,
    send: (phase: Phase, op: Op, more?: Partial<Worker>) => LeaseState,
  ): void {
    const name = `worker ${index}`
    const { fence, count, todo, got, asking } = worker
    if (fence === null) return
    const isSafe = mayAsk(worker, this.#rules)
    const isDue = mustBeat(worker, this.#rules)
    if (asking !== null)
      this.#add(
        `${name} has page ${asking}`,
        this.#with(index, { ...worker, asking: null, got: [...got, asking] }),
      )
    else if (isSafe)
      for (const page of todo.filter((one) => !got.includes(one)).slice(0, 1))
        this.#add(`${name} asks for page ${page}`, this.#with(index, { ...worker, asking: page }))
    const beaten = isDue && isSafe ? { tryAge: 0 } : {}
    if (got.length > 0)
      this.#add(
        `${name} commits ${got.join(' and ')}`,
        send(
          'settling',
          {
            kind: 'settle',
            fence,
            count,
            done: got,
            added: got.flatMap((page) => LINKS[page] ?? []),
            credits: got.length,
            beats: isDue,
            ended: [],
          },
          beaten,
        ),
      )
    else if (isDue && isSafe)
      this.#add(`${name} gives a sign of life`, send('beating', { kind: 'beat', fence }, beaten))
    if (todo.length === 0 && got.length === 0 && asking === null) this.#end(index, worker)
    if (!isSafe)
      this.#add(
        `${name} gives up its lease`,
        send('releasing', { kind: 'release', fence }, { asking: null, got: [] }),
      )
  }

  /** It reads execution and counters again, and sends the end. */
  #end(index: number, worker: Worker): void {
    const { records } = this.#state
    const { fence } = worker
    if (fence === null) return
    this.#add(
      `worker ${index} ends the execution`,
      records.status === 'running'
        ? this.#with(index, {
            ...worker,
            phase: 'ending',
            op: {
              kind: 'move',
              to: 'succeeded',
              move: records.move,
              fence,
              count: records.count,
            },
          })
        : this.#left(this.#state, index, false),
    )
  }

  /** It reads whose name the counters have. */
  #check(index: number, worker: Worker): void {
    const { records } = this.#state
    const { op, todo } = worker
    if (op?.kind !== 'settle') return
    const { done, added } = op
    const isWritten = worker.hasWritten || !this.#rules.compares
    this.#add(
      `worker ${index} reads that its commit ${isWritten ? 'was' : 'was not'} made`,
      isWritten
        ? this.#with(index, {
            ...worker,
            phase: 'holding',
            op: null,
            count: records.count,
            got: [],
            todo: [...todo.filter((page) => !done.includes(page)), ...added],
          })
        : this.#left(this.#state, index, false),
    )
  }

  #arrive(index: number, worker: Worker): void {
    const { op, isStalled, phase } = worker
    for (const [place, copy] of worker.late.entries()) {
      const late = worker.late.toSpliced(place, 1)
      const state = this.#with(index, { ...worker, late })
      this.#add(`a late copy of worker ${index} arrives`, this.#made(state, copy, index).state)
      this.#add(`a late copy of worker ${index} is lost`, state)
    }
    if (op === null || phase === 'checking' || worker.answer !== null) return
    const { state, isMade } = this.#made(this.#state, op, index)
    const after = state.workers[index] ?? worker
    this.#add(
      `the store ${isMade ? 'makes' : 'refuses'} the ${op.kind} of worker ${index}`,
      isStalled
        ? { ...state, workers: state.workers.with(index, { ...after, answer: isMade }) }
        : this.#answered(state, index, isMade),
    )
    const { budget } = this.#state
    if (phase === 'settling' && budget.conflicts > 0 && !isStalled)
      this.#add(
        `the commit of worker ${index} meets the end of a month`,
        this.#with(
          index,
          { ...worker, phase: 'holding', op: null },
          { budget: { ...budget, conflicts: budget.conflicts - 1 } },
        ),
        true,
      )
    if (budget.losses === 0 || isStalled) return
    const rest = { budget: { ...budget, losses: budget.losses - 1 } }
    this.#add(
      `worker ${index} gets no answer, but the ${op.kind} ${isMade ? 'is made' : 'is refused'}`,
      this.#unanswered({ ...state, ...rest }, index, []),
      true,
    )
    this.#add(
      `the ${op.kind} of worker ${index} is late`,
      this.#unanswered({ ...this.#state, ...rest }, index, [op]),
      true,
    )
  }

  #answered(state: LeaseState, index: number, isMade: boolean): LeaseState {
    const worker = state.workers[index] ?? IDLE
    const { records } = state
    const to = (next: Partial<Worker>): LeaseState => ({
      ...state,
      workers: state.workers.with(index, { ...worker, op: null, ...next }),
    })
    const { op } = worker
    switch (worker.phase) {
      case 'taking':
        return isMade ? to({ phase: 'claimed' }) : this.#left(state, index, true)
      case 'settling':
        return to({
          phase: 'checking',
          op,
          ...(isMade && op?.kind === 'settle' && op.beats && { beatAge: worker.tryAge }),
        })
      case 'beating':
        return isMade
          ? to({ phase: 'holding', beatAge: worker.tryAge })
          : this.#left(state, index, false)
      case 'ending':
        // It reads again, and finds out whether it still has a say.
        return isMade || records.status !== 'running' || worker.fence !== records.fence
          ? this.#left(state, index, false)
          : to({ phase: 'holding' })
      default:
        return this.#left(state, index, true)
    }
  }

  /** After a commit without an answer. `late`: it has not arrived yet. */
  #unanswered(state: LeaseState, index: number, late: readonly Op[]): LeaseState {
    const before = state.workers[index] ?? IDLE
    const worker = { ...before, late: [...before.late, ...late].slice(0, 1) }
    const next = { ...state, workers: state.workers.with(index, worker) }
    const { phase, fence } = worker
    // The same commit is sent again.
    if (phase === 'settling') return next
    if (phase === 'taking' || phase === 'releasing' || fence === null)
      return this.#left(next, index, true)
    const op: Op = { kind: 'release', fence }
    return { ...next, workers: next.workers.with(index, { ...worker, phase: 'releasing', op }) }
  }

  #suffer(index: number, worker: Worker): void {
    const { budget, due } = this.#state
    const name = `worker ${index}`
    if (worker.isStalled) {
      this.#add(`${name} wakes up`, this.#with(index, { ...worker, isStalled: false }))
      if (worker.hasJob)
        this.#add(
          `the job of ${name} is delivered again`,
          this.#with(index, { ...worker, hasJob: false }, { due: due + 1 }),
        )
    } else if (budget.stalls > 0 && worker.phase !== 'idle')
      this.#add(
        `${name} stands still`,
        this.#with(
          index,
          { ...worker, isStalled: true },
          { wasDisturbed: true, budget: { ...budget, stalls: budget.stalls - 1 } },
        ),
        true,
      )
    if (budget.crashes === 0 || worker.phase === 'idle') return
    const rest = { ...this.#state, budget: { ...budget, crashes: budget.crashes - 1 } }
    this.#add(`${name} dies`, this.#left(rest, index, true), true)
    const { op } = worker
    if (op !== null && worker.answer === null && worker.phase !== 'checking') {
      const late = { ...worker, late: [op] }
      this.#add(
        `${name} dies while its ${op.kind} is on the way`,
        this.#left({ ...rest, workers: rest.workers.with(index, late) }, index, true),
        true,
      )
    }
  }

  #call(): void {
    const { call, records, budget } = this.#state
    if (call === null) {
      if (budget.calls === 0) return
      for (const to of ['paused', 'queued', 'cancelled', 'failed'] as const) {
        if (!mayMove(records.status, to)) continue
        const { move, count } = records
        this.#add(
          `a caller asks for ${to}`,
          {
            ...this.#state,
            call: { kind: 'move', to, move, ...(isOver(to) && { count }) },
            wasDisturbed: true,
            budget: { ...budget, calls: budget.calls - 1 },
          },
          true,
        )
      }
      return
    }
    const { state, isMade } = this.#made({ ...this.#state, call: null }, call)
    this.#add(`the call is ${isMade ? 'made' : 'refused'}`, state)
  }

  /** A third of a lease goes by. Processes that do not stall renew theirs before. */
  #tick(): void {
    const { left, workers } = this.#state
    const isWaiting = workers.some(
      (worker) =>
        worker.phase === 'holding' &&
        !worker.isStalled &&
        mustBeat(worker, this.#rules) &&
        mayAsk(worker, this.#rules),
    )
    if (isWaiting) return
    const next = workers.map((worker) => {
      if (worker.phase === 'idle' || worker.phase === 'reading') return worker
      const aged = {
        ...worker,
        tryAge: Math.min(2, worker.tryAge + 1),
        beatAge: Math.min(LEASE, worker.beatAge + 1),
      }
      return mayAsk(aged, this.#rules) || worker.isStalled ? aged : { ...aged, asking: null }
    })
    this.#add('time goes by', { ...this.#state, left: Math.max(0, left - 1), workers: next })
  }
}
