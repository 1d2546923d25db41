import { LINKS } from './commits.ts'
import type { Op } from './commits.ts'
import { answered } from './worker-fates.ts'
import type { LeaseSteps } from './lease-steps.ts'
import { IDLE, mayAsk, mustBeat } from './lease-state.ts'
import type { LeaseState, Phase, Worker } from './lease-state.ts'

/** The next steps of a worker that runs. */
export function work(steps: LeaseSteps, index: number, worker: Worker): void {
  const { records, due, left } = steps.state
  const name = `worker ${index}`
  const isOpen = records.status === 'queued' || records.status === 'running'
  const send = (phase: Phase, op: Op, more: Partial<Worker> = {}): LeaseState =>
    steps.with(index, { ...worker, ...more, phase, op, hasWritten: false })
  switch (worker.phase) {
    case 'idle':
      if (due > 0)
        steps.add(
          `${name} takes a job and reads that it is ${records.status}`,
          isOpen
            ? steps.with(
                index,
                { ...IDLE, phase: 'reading', hasJob: true, move: records.move },
                { due: due - 1 },
              )
            : { ...steps.state, due: due - 1 },
        )
      return
    case 'reading':
      if (records.beat !== null && left > 0)
        steps.add(`${name} waits for another holder`, steps.left(steps.state, index, true))
      else
        steps.add(
          `${name} takes the fence`,
          send(
            'taking',
            { kind: 'take', move: worker.move, beat: records.beat },
            { tryAge: 0, beatAge: 0 },
          ),
        )
      return
    case 'claimed':
      steps.add(
        worker.isNamed ? `${name} reads its fence and the frontier` : `${name} has lost the fence`,
        worker.isNamed
          ? steps.with(index, {
              ...worker,
              phase: 'holding',
              fence: records.fence,
              count: records.count,
              todo: records.waiting,
            })
          : steps.left(steps.state, index, true),
      )
      return
    case 'checking':
      check(steps, index, worker)
      return
    case 'holding':
      hold(steps, index, worker, send)
      return
    default:
      // Its commit is on the way.
      if (worker.answer !== null)
        steps.add(
          `${name} hears the answer`,
          answered(steps, steps.with(index, { ...worker, answer: null }), index, worker.answer),
        )
  }
}

function hold(
  steps: LeaseSteps,
  index: number,
  worker: Worker,
  send: (phase: Phase, op: Op, more?: Partial<Worker>) => LeaseState,
): void {
  const name = `worker ${index}`
  const { fence, count, todo, got, asking } = worker
  if (fence === null) return
  const isSafe = mayAsk(worker, steps.rules)
  const isDue = mustBeat(worker, steps.rules)
  if (asking !== null)
    steps.add(
      `${name} has page ${asking}`,
      steps.with(index, { ...worker, asking: null, got: [...got, asking] }),
    )
  else if (isSafe)
    for (const page of todo.filter((one) => !got.includes(one)).slice(0, 1))
      steps.add(`${name} asks for page ${page}`, steps.with(index, { ...worker, asking: page }))
  const beaten = isDue && isSafe ? { tryAge: 0 } : {}
  if (got.length > 0)
    steps.add(
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
    steps.add(`${name} gives a sign of life`, send('beating', { kind: 'beat', fence }, beaten))
  if (todo.length === 0 && got.length === 0 && asking === null) end(steps, index, worker)
  if (!isSafe)
    steps.add(
      `${name} gives up its lease`,
      send('releasing', { kind: 'release', fence }, { asking: null, got: [] }),
    )
}

/** It reads execution and counters again, and sends the end. */
function end(steps: LeaseSteps, index: number, worker: Worker): void {
  const { records } = steps.state
  const { fence } = worker
  if (fence === null) return
  steps.add(
    `worker ${index} ends the execution`,
    records.status === 'running'
      ? steps.with(index, {
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
      : steps.left(steps.state, index, false),
  )
}

/** It reads whose name the counters have. */
function check(steps: LeaseSteps, index: number, worker: Worker): void {
  const { records } = steps.state
  const { op, todo } = worker
  if (op?.kind !== 'settle') return
  const { done, added } = op
  const isWritten = worker.hasWritten || !steps.rules.compares
  steps.add(
    `worker ${index} reads that its commit ${isWritten ? 'was' : 'was not'} made`,
    isWritten
      ? steps.with(index, {
          ...worker,
          phase: 'holding',
          op: null,
          count: records.count,
          got: [],
          todo: [...todo.filter((page) => !done.includes(page)), ...added],
        })
      : steps.left(steps.state, index, false),
  )
}
