import { apply } from './commits.ts'
import { isOf } from './shared-steps.ts'
import type { SharedSteps } from './shared-steps.ts'
import { OUT } from './shared-state.ts'
import type { Member, SharedState } from './shared-state.ts'

/** The next steps of a helper, and its faults. */
export function help(steps: SharedSteps, index: number, one: Member): void {
  const { records } = steps.state
  const name = `helper ${index}`
  const { phase, id, seen, doing, unreported, op } = one
  if (phase === 'out') {
    const joining = steps.spend('joins')
    if (!joining || records.fence === null) return
    const member = joining.budget.joins
    const joined = apply(records, { kind: 'join', member }, steps.rules)
    if (typeof joined === 'string') return
    steps.add(
      `${name} joins as member ${member}`,
      steps.withMember(
        index,
        { ...OUT, phase: 'in', id: member, turn: 1 },
        { ...joining, records: joined },
      ),
      true,
    )
    return
  }
  const dead = steps.spend('crashes')
  if (dead) {
    steps.add(`${name} dies`, steps.withMember(index, OUT, dead), true)
    if (op !== null && phase === 'reporting')
      steps.add(
        `${name} dies while its report is on the way`,
        steps.withMember(index, OUT, {
          ...dead,
          late: [...dead.late, { op, coordinator: -1, member: -1 }].slice(0, 1),
        }),
        true,
      )
  }
  if (phase === 'in' && records.fence === null)
    steps.add(`${name} sees that it is over`, steps.withMember(index, OUT))
  for (const page of doing)
    steps.add(
      `${name} has page ${page}`,
      steps.withMember(index, {
        ...one,
        doing: doing.filter((other) => other !== page),
        unreported: [...unreported, { member: id, number: page, page }],
      }),
    )
  if (phase === 'in') {
    const fresh = records.assigned.filter(
      ({ member, page }) => member === id && !seen.includes(page),
    )
    if (fresh.length > 0) {
      const pages = fresh.map(({ page }) => page)
      steps.add(
        `${name} reads its assignments`,
        steps.withMember(index, { ...one, seen: [...seen, ...pages], doing: [...doing, ...pages] }),
      )
    }
    // Without reports it only renews its lease, which is how it learns that it was dismissed.
    if (unreported.length > 0 || !records.members.some((member) => member.id === id))
      steps.add(
        `${name} reports`,
        steps.withMember(index, {
          ...one,
          phase: 'reporting',
          op: { kind: 'report', member: id, turn: one.turn, reports: unreported },
        }),
      )
  }
  if (phase === 'reporting' && op !== null) report(steps, index, one, op)
  if (phase === 'reading' && op !== null) readBack(steps, index, one, op)
}

function report(
  steps: SharedSteps,
  index: number,
  one: Member,
  op: NonNullable<Member['op']>,
): void {
  const name = `helper ${index}`
  const made = steps.made(steps.state, op, -1, index)
  const reading = (state: SharedState): SharedState =>
    steps.withMember(index, { ...(state.members[index] ?? one), phase: 'reading' }, state)
  steps.add(`the store answers the report of ${name}`, reading(made))
  const lost = steps.spend('losses')
  if (!lost) return
  // All its tries are lost, so it goes on, and reports more at the next.
  const giveUp = (state: SharedState): SharedState =>
    steps.withMember(index, { ...(state.members[index] ?? one), phase: 'in', op: null }, state)
  if (made !== steps.state)
    steps.add(
      `${name} gets no answer, but its report is made`,
      giveUp(steps.made(lost, op, -1, index)),
      true,
    )
  const late = [...lost.late, { op, coordinator: -1, member: index }].slice(0, 1)
  steps.add(`the report of ${name} is late`, giveUp({ ...lost, late }), true)
}

/** It reads its membership after the commit. */
function readBack(
  steps: SharedSteps,
  index: number,
  one: Member,
  op: NonNullable<Member['op']>,
): void {
  const { records } = steps.state
  const member = records.members.find(({ id }) => id === one.id)
  if (!member) {
    steps.add(`helper ${index} reads that it was dismissed`, steps.withMember(index, OUT))
    return
  }
  // The turn has grown by one, by this commit or by an earlier one.
  const reported = one.landed === null ? [] : steps.rules.counts ? one.landed : op.reports
  steps.add(
    `helper ${index} reads its membership`,
    steps.withMember(index, {
      ...one,
      phase: 'in',
      op: null,
      landed: null,
      turn: member.turn,
      unreported: one.unreported.filter(({ page }) => !reported.some(isOf(page))),
    }),
  )
}
