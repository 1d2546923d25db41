import { apply, LINKS } from './commits.ts'
import type { MemberPage, Op } from './commits.ts'
import { isOf } from './shared-steps.ts'
import type { SharedSteps } from './shared-steps.ts'
import { IDLE } from './shared-state.ts'
import type { Coordinator, SharedState } from './shared-state.ts'

/** The next steps of a coordinator, and its faults. */
export function coordinate(steps: SharedSteps, index: number, one: Coordinator): void {
  const { records, coordinators } = steps.state
  const name = `coordinator ${index}`
  const { phase, op, fence } = one
  if (phase === 'idle') {
    const isHeld = coordinators.some((other) => other.phase !== 'idle' && other.fence === 1)
    const before = isHeld ? steps.spend('stalls') : steps.state
    if (before === null || records.status !== 'running') return
    const held = apply(records, { kind: 'take', move: 1, beat: records.beat }, steps.rules)
    if (typeof held === 'string' || held.fence === null) return
    const opening: Coordinator = {
      ...IDLE,
      phase: 'opening',
      fence: held.fence,
      op: { kind: 'open', fence: held.fence },
    }
    steps.add(
      `${name} takes the fence`,
      steps.withCoordinator(index, opening, { ...before, records: held }),
      isHeld,
    )
    return
  }
  const dead = steps.spend('crashes')
  if (dead) {
    steps.add(`${name} dies`, steps.withCoordinator(index, IDLE, dead), true)
    if (op !== null && phase !== 'checking')
      steps.add(
        `${name} dies while its ${op.kind} is on the way`,
        steps.withCoordinator(index, IDLE, {
          ...dead,
          late: [...dead.late, { op, coordinator: -1, member: -1 }].slice(0, 1),
        }),
        true,
      )
  }
  if (phase === 'holding') hold(steps, index, one)
  else if (phase === 'checking') check(steps, index, one)
  else if (op !== null) {
    const made = steps.made(steps.state, op, index, -1)
    const isMade = made !== steps.state
    steps.add(
      `the store ${isMade ? 'makes' : 'refuses'} the ${op.kind} of ${name}`,
      answered(steps, made, index, op, isMade),
    )
    const lost = steps.spend('losses')
    if (!lost) return
    // It sends the same again.
    if (isMade)
      steps.add(
        `${name} gets no answer, but the ${op.kind} is made`,
        steps.made(lost, op, index, -1),
        true,
      )
    steps.add(
      `the ${op.kind} of ${name} is late, and is sent again`,
      { ...lost, late: [...lost.late, { op, coordinator: index, member: -1 }].slice(0, 1) },
      true,
    )
  }
  if (fence === 0 && phase === 'holding')
    steps.add(`${name} gives up its lease`, steps.withCoordinator(index, IDLE))
}

function answered(
  steps: SharedSteps,
  state: SharedState,
  index: number,
  op: Op,
  isMade: boolean,
): SharedState {
  const { records } = state
  const one = state.coordinators[index] ?? IDLE
  const to = (next: Partial<Coordinator>): SharedState =>
    steps.withCoordinator(index, { ...one, op: null, phase: 'holding', ...next }, state)
  if (op.kind === 'settle') return to({ phase: 'checking', op })
  const holdsStill = one.fence === records.fence
  if (!isMade)
    return op.kind === 'dismiss' && holdsStill ? to({}) : steps.withCoordinator(index, IDLE, state)
  if (op.kind === 'open')
    return to({
      count: records.count,
      todo: records.waiting,
      assigned: records.assigned.filter(({ page }) => records.waiting.includes(page)),
    })
  if (op.kind === 'dismiss') return to(without(one, op.member, { op: null, phase: 'holding' }))
  return op.kind === 'move' ? steps.withCoordinator(index, IDLE, state) : to({})
}

function check(steps: SharedSteps, index: number, one: Coordinator): void {
  const { records } = steps.state
  if (one.op?.kind !== 'settle') return
  const { done, added } = one.op
  steps.add(
    `coordinator ${index} reads whether its commit was made`,
    one.hasWritten
      ? steps.withCoordinator(index, {
          ...one,
          phase: 'holding',
          op: null,
          hasWritten: false,
          count: records.count,
          ready: [],
          own: one.own.filter((page) => !done.includes(page)),
          todo: [...one.todo.filter((page) => !done.includes(page)), ...added],
        })
      : steps.withCoordinator(index, IDLE),
  )
}

function hold(steps: SharedSteps, index: number, one: Coordinator): void {
  const { records, members } = steps.state
  const name = `coordinator ${index}`
  const { fence, count, todo, assigned, own, ready } = one
  const send = (what: string, op: Op, more: Partial<Coordinator> = {}, from = steps.state) =>
    steps.add(
      `${name} ${what}`,
      steps.withCoordinator(
        index,
        { ...one, ...more, phase: 'sending', op, hasWritten: false },
        from,
      ),
    )
  for (const page of todo) {
    if (ready.some((other) => other.page === page) || assigned.some(isOf(page))) continue
    steps.add(
      `${name} visits page ${page}`,
      steps.withCoordinator(index, { ...one, ready: [...ready, { page, from: null }] }),
    )
    if (own.includes(page)) continue
    for (const { id } of records.members) {
      const assignment: MemberPage = { member: id, number: page, page }
      send(
        `gives page ${page} to member ${id}`,
        { kind: 'send', fence, assigned: [assignment], ended: [], read: [] },
        { assigned: [...assigned, assignment] },
      )
    }
  }
  for (const report of records.reports) {
    const { member, page } = report
    const assignment = assigned.find((other) => other.page === page && other.member === member)
    if (assignment)
      steps.add(
        `${name} reads that member ${member} has page ${page}`,
        steps.withCoordinator(index, {
          ...one,
          assigned: assigned.filter((other) => other !== assignment),
          ready: [...ready, { page, from: report }],
        }),
      )
    else if (!ready.some(({ from }) => from?.page === page && from.member === member))
      send(`drops a report of member ${member}`, {
        kind: 'send',
        fence,
        assigned: [],
        ended: [],
        read: [report],
      })
  }
  if (ready.length > 0)
    send(`commits ${ready.map(({ page }) => page).join(' and ')}`, {
      kind: 'settle',
      fence,
      count,
      done: ready.map(({ page }) => page),
      added: ready.flatMap(({ page }) => LINKS[page] ?? []),
      credits: ready.length,
      beats: false,
      ended: ready.flatMap(({ from }) => from ?? []),
    })
  for (const { member } of assigned.filter(
    (other) => !records.members.some(({ id }) => id === other.member),
  ))
    steps.add(
      `${name} reads that member ${member} is gone`,
      steps.withCoordinator(index, without(one, member)),
    )
  for (const { id, turn } of records.members) {
    const lives = members.some((member) => member.phase !== 'out' && member.id === id)
    const before = lives ? steps.spend('stalls') : steps.state
    // It has read the reports before.
    const isRead = records.reports.every(
      ({ member, page }) => member !== id || !assigned.some(isOf(page)),
    )
    if (before && isRead)
      steps.add(
        `${name} dismisses member ${id}`,
        steps.withCoordinator(
          index,
          { ...one, phase: 'sending', op: { kind: 'dismiss', fence, member: id, turn } },
          before,
        ),
        lives,
      )
  }
  if (todo.length === 0) {
    const op: Op = {
      kind: 'move',
      to: 'succeeded',
      move: records.move,
      fence,
      count: records.count,
    }
    send('ends the execution', op)
  }
}

/** A coordinator that has lost a member: it visits its pages itself. */
function without(one: Coordinator, id: number, more: Partial<Coordinator> = {}): Coordinator {
  const lost = one.assigned.filter(({ member }) => member === id)
  return {
    ...one,
    ...more,
    assigned: one.assigned.filter((other) => !lost.includes(other)),
    own: [...one.own, ...lost.map(({ page }) => page)].toSorted((a, b) => a - b),
  }
}
