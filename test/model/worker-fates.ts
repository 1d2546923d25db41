import type { Op } from './commits.ts'
import type { LeaseSteps } from './lease-steps.ts'
import { IDLE } from './lease-state.ts'
import type { LeaseState, Worker } from './lease-state.ts'

/** A commit of a worker arrives, and is answered or not. */
export function arrive(steps: LeaseSteps, index: number, worker: Worker): void {
  const { op, isStalled, phase } = worker
  for (const [place, copy] of worker.late.entries()) {
    const late = worker.late.toSpliced(place, 1)
    const state = steps.with(index, { ...worker, late })
    steps.add(`a late copy of worker ${index} arrives`, steps.made(state, copy, index).state)
    steps.add(`a late copy of worker ${index} is lost`, state)
  }
  if (op === null || phase === 'checking' || worker.answer !== null) return
  const { state, isMade } = steps.made(steps.state, op, index)
  const after = state.workers[index] ?? worker
  steps.add(
    `the store ${isMade ? 'makes' : 'refuses'} the ${op.kind} of worker ${index}`,
    isStalled
      ? { ...state, workers: state.workers.with(index, { ...after, answer: isMade }) }
      : answered(steps, state, index, isMade),
  )
  const { budget } = steps.state
  if (phase === 'settling' && budget.conflicts > 0 && !isStalled)
    steps.add(
      `the commit of worker ${index} meets the end of a month`,
      steps.with(
        index,
        { ...worker, phase: 'holding', op: null },
        { budget: { ...budget, conflicts: budget.conflicts - 1 } },
      ),
      true,
    )
  if (budget.losses === 0 || isStalled) return
  const rest = { budget: { ...budget, losses: budget.losses - 1 } }
  steps.add(
    `worker ${index} gets no answer, but the ${op.kind} ${isMade ? 'is made' : 'is refused'}`,
    unanswered(steps, { ...state, ...rest }, index, []),
    true,
  )
  steps.add(
    `the ${op.kind} of worker ${index} is late`,
    unanswered(steps, { ...steps.state, ...rest }, index, [op]),
    true,
  )
}

/** The state after a worker has heard the answer. */
export function answered(
  steps: LeaseSteps,
  state: LeaseState,
  index: number,
  isMade: boolean,
): LeaseState {
  const worker = state.workers[index] ?? IDLE
  const { records } = state
  const to = (next: Partial<Worker>): LeaseState => ({
    ...state,
    workers: state.workers.with(index, { ...worker, op: null, ...next }),
  })
  const { op } = worker
  switch (worker.phase) {
    case 'taking':
      return isMade ? to({ phase: 'claimed' }) : steps.left(state, index, true)
    case 'settling':
      return to({
        phase: 'checking',
        op,
        ...(isMade && op?.kind === 'settle' && op.beats && { beatAge: worker.tryAge }),
      })
    case 'beating':
      return isMade
        ? to({ phase: 'holding', beatAge: worker.tryAge })
        : steps.left(state, index, false)
    case 'ending':
      // It reads again, and finds out whether it still has a say.
      return isMade || records.status !== 'running' || worker.fence !== records.fence
        ? steps.left(state, index, false)
        : to({ phase: 'holding' })
    default:
      return steps.left(state, index, true)
  }
}

/** After a commit without an answer. `late`: it has not arrived yet. */
function unanswered(
  steps: LeaseSteps,
  state: LeaseState,
  index: number,
  late: readonly Op[],
): LeaseState {
  const before = state.workers[index] ?? IDLE
  const worker = { ...before, late: [...before.late, ...late].slice(0, 1) }
  const next = { ...state, workers: state.workers.with(index, worker) }
  const { phase, fence } = worker
  // The same commit is sent again.
  if (phase === 'settling') return next
  if (phase === 'taking' || phase === 'releasing' || fence === null)
    return steps.left(next, index, true)
  const op: Op = { kind: 'release', fence }
  return { ...next, workers: next.workers.with(index, { ...worker, phase: 'releasing', op }) }
}

/** A worker stands still, wakes up or dies. */
export function suffer(steps: LeaseSteps, index: number, worker: Worker): void {
  const { budget, due } = steps.state
  const name = `worker ${index}`
  if (worker.isStalled) {
    steps.add(`${name} wakes up`, steps.with(index, { ...worker, isStalled: false }))
    if (worker.hasJob)
      steps.add(
        `the job of ${name} is delivered again`,
        steps.with(index, { ...worker, hasJob: false }, { due: due + 1 }),
      )
  } else if (budget.stalls > 0 && worker.phase !== 'idle')
    steps.add(
      `${name} stands still`,
      steps.with(
        index,
        { ...worker, isStalled: true },
        { wasDisturbed: true, budget: { ...budget, stalls: budget.stalls - 1 } },
      ),
      true,
    )
  if (budget.crashes === 0 || worker.phase === 'idle') return
  const rest = { ...steps.state, budget: { ...budget, crashes: budget.crashes - 1 } }
  steps.add(`${name} dies`, steps.left(rest, index, true), true)
  const { op } = worker
  if (op !== null && worker.answer === null && worker.phase !== 'checking') {
    const late = { ...worker, late: [op] }
    steps.add(
      `${name} dies while its ${op.kind} is on the way`,
      steps.left({ ...rest, workers: rest.workers.with(index, late) }, index, true),
      true,
    )
  }
}
