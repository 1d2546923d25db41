import { apply, isOver, QUEUED } from './commits.ts'
import type { MemberPage, Op } from './commits.ts'
import type { Model, Step } from './explore.ts'
import { brokenBy, canonical, IDLE, OUT, SHARED_RULES } from './shared-state.ts'
import type { Coordinator, Member, SharedBudget, SharedRules, SharedState } from './shared-state.ts'

/** The pages that each page leads to. */
const LINKS: Readonly<Record<number, readonly number[]>> = { 0: [2] }

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
    stepsOf: (state) => new Steps(state, rules).all(),
    brokenBy,
    isEnd: ({ records }) => isOver(records.status),
  }
}

function isOf(page: number): (one: MemberPage) => boolean {
  return (one) => one.page === page
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

/** The steps of one state. */
class Steps {
  readonly #state: SharedState
  readonly #rules: SharedRules
  readonly #steps: Step<SharedState>[] = []

  constructor(state: SharedState, rules: SharedRules) {
    this.#state = state
    this.#rules = rules
  }

  all(): readonly Step<SharedState>[] {
    const { coordinators, members, late } = this.#state
    for (const [index, one] of coordinators.entries()) this.#coordinate(index, one)
    for (const [index, one] of members.entries()) this.#help(index, one)
    for (const [index, { op, coordinator, member }] of late.entries()) {
      const rest = { ...this.#state, late: late.toSpliced(index, 1) }
      this.#add(`a late ${op.kind} arrives`, this.#made(rest, op, coordinator, member))
      this.#add(`a late ${op.kind} is lost`, rest)
    }
    return this.#steps
  }

  #add(name: string, next: SharedState, isFault = false): void {
    this.#steps.push({ name, next: canonical(next, this.#rules), isFault })
  }

  /** The state after a commit of one of them, whether it was made or refused. */
  #made(state: SharedState, op: Op, coordinator: number, member: number): SharedState {
    const records = apply(state.records, op, this.#rules)
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

  #withC(index: number, coordinator: Coordinator, state = this.#state): SharedState {
    return { ...state, coordinators: state.coordinators.with(index, coordinator) }
  }

  #withM(index: number, member: Member, state = this.#state): SharedState {
    return { ...state, members: state.members.with(index, member) }
  }

  #spend(kind: keyof SharedBudget, state = this.#state): SharedState | null {
    const { budget } = state
    return budget[kind] === 0 ? null : { ...state, budget: { ...budget, [kind]: budget[kind] - 1 } }
  }

  #coordinate(index: number, one: Coordinator): void {
    const { records, coordinators } = this.#state
    const name = `coordinator ${index}`
    const { phase, op, fence } = one
    if (phase === 'idle') {
      const isHeld = coordinators.some((other) => other.phase !== 'idle' && other.fence === 1)
      const before = isHeld ? this.#spend('stalls') : this.#state
      if (before === null || records.status !== 'running') return
      const taken = apply(records, { kind: 'take', move: 1, beat: records.beat }, this.#rules)
      if (typeof taken === 'string' || taken.fence === null) return
      const opening: Coordinator = {
        ...IDLE,
        phase: 'opening',
        fence: taken.fence,
        op: { kind: 'open', fence: taken.fence },
      }
      this.#add(
        `${name} takes the fence`,
        this.#withC(index, opening, { ...before, records: taken }),
        isHeld,
      )
      return
    }
    const dead = this.#spend('crashes')
    if (dead) {
      this.#add(`${name} dies`, this.#withC(index, IDLE, dead), true)
      if (op !== null && phase !== 'checking')
        this.#add(
          `${name} dies while its ${op.kind} is on the way`,
          this.#withC(index, IDLE, {
            ...dead,
            late: [...dead.late, { op, coordinator: -1, member: -1 }].slice(0, 1),
          }),
          true,
        )
    }
    if (phase === 'holding') this.#hold(index, one)
    else if (phase === 'checking') this.#check(index, one)
    else if (op !== null) {
      const made = this.#made(this.#state, op, index, -1)
      const isMade = made !== this.#state
      this.#add(
        `the store ${isMade ? 'makes' : 'refuses'} the ${op.kind} of ${name}`,
        this.#answered(made, index, op, isMade),
      )
      const lost = this.#spend('losses')
      if (!lost) return
      // It sends the same again.
      if (isMade)
        this.#add(
          `${name} gets no answer, but the ${op.kind} is made`,
          this.#made(lost, op, index, -1),
          true,
        )
      this.#add(
        `the ${op.kind} of ${name} is late, and is sent again`,
        { ...lost, late: [...lost.late, { op, coordinator: index, member: -1 }].slice(0, 1) },
        true,
      )
    }
    if (fence === 0 && phase === 'holding')
      this.#add(`${name} gives up its lease`, this.#withC(index, IDLE))
  }

  #answered(state: SharedState, index: number, op: Op, isMade: boolean): SharedState {
    const { records } = state
    const one = state.coordinators[index] ?? IDLE
    const to = (next: Partial<Coordinator>): SharedState =>
      this.#withC(index, { ...one, op: null, phase: 'holding', ...next }, state)
    if (op.kind === 'settle') return to({ phase: 'checking', op })
    const holdsStill = one.fence === records.fence
    if (!isMade)
      return op.kind === 'dismiss' && holdsStill ? to({}) : this.#withC(index, IDLE, state)
    if (op.kind === 'open')
      return to({
        count: records.count,
        todo: records.waiting,
        assigned: records.assigned.filter(({ page }) => records.waiting.includes(page)),
      })
    if (op.kind === 'dismiss') return to(without(one, op.member, { op: null, phase: 'holding' }))
    return op.kind === 'move' ? this.#withC(index, IDLE, state) : to({})
  }

  #check(index: number, one: Coordinator): void {
    const { records } = this.#state
    if (one.op?.kind !== 'settle') return
    const { done, added } = one.op
    this.#add(
      `coordinator ${index} reads whether its commit was made`,
      one.hasWritten
        ? this.#withC(index, {
            ...one,
            phase: 'holding',
            op: null,
            hasWritten: false,
            count: records.count,
            ready: [],
            own: one.own.filter((page) => !done.includes(page)),
            todo: [...one.todo.filter((page) => !done.includes(page)), ...added],
          })
        : this.#withC(index, IDLE),
    )
  }

  #hold(index: number, one: Coordinator): void {
    const { records, members } = this.#state
    const name = `coordinator ${index}`
    const { fence, count, todo, assigned, own, ready } = one
    const send = (what: string, op: Op, more: Partial<Coordinator> = {}, from = this.#state) =>
      this.#add(
        `${name} ${what}`,
        this.#withC(index, { ...one, ...more, phase: 'sending', op, hasWritten: false }, from),
      )
    for (const page of todo) {
      if (ready.some((other) => other.page === page) || assigned.some(isOf(page))) continue
      this.#add(
        `${name} visits page ${page}`,
        this.#withC(index, { ...one, ready: [...ready, { page, from: null }] }),
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
        this.#add(
          `${name} reads that member ${member} has page ${page}`,
          this.#withC(index, {
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
      this.#add(
        `${name} reads that member ${member} is gone`,
        this.#withC(index, without(one, member)),
      )
    for (const { id, turn } of records.members) {
      const lives = members.some((member) => member.phase !== 'out' && member.id === id)
      const before = lives ? this.#spend('stalls') : this.#state
      // It has read the reports before.
      const isRead = records.reports.every(
        ({ member, page }) => member !== id || !assigned.some(isOf(page)),
      )
      if (before && isRead)
        this.#add(
          `${name} dismisses member ${id}`,
          this.#withC(
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

  #help(index: number, one: Member): void {
    const { records } = this.#state
    const name = `helper ${index}`
    const { phase, id, seen, doing, unreported, op } = one
    if (phase === 'out') {
      const joining = this.#spend('joins')
      if (!joining || records.fence === null) return
      const member = joining.budget.joins
      const joined = apply(records, { kind: 'join', member }, this.#rules)
      if (typeof joined === 'string') return
      this.#add(
        `${name} joins as member ${member}`,
        this.#withM(
          index,
          { ...OUT, phase: 'in', id: member, turn: 1 },
          { ...joining, records: joined },
        ),
        true,
      )
      return
    }
    const dead = this.#spend('crashes')
    if (dead) {
      this.#add(`${name} dies`, this.#withM(index, OUT, dead), true)
      if (op !== null && phase === 'reporting')
        this.#add(
          `${name} dies while its report is on the way`,
          this.#withM(index, OUT, {
            ...dead,
            late: [...dead.late, { op, coordinator: -1, member: -1 }].slice(0, 1),
          }),
          true,
        )
    }
    if (phase === 'in' && records.fence === null)
      this.#add(`${name} sees that it is over`, this.#withM(index, OUT))
    for (const page of doing)
      this.#add(
        `${name} has page ${page}`,
        this.#withM(index, {
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
        this.#add(
          `${name} reads its assignments`,
          this.#withM(index, { ...one, seen: [...seen, ...pages], doing: [...doing, ...pages] }),
        )
      }
      // Without reports it only renews its lease, which is how it learns that it was dismissed.
      if (unreported.length > 0 || !records.members.some((member) => member.id === id))
        this.#add(
          `${name} reports`,
          this.#withM(index, {
            ...one,
            phase: 'reporting',
            op: { kind: 'report', member: id, turn: one.turn, reports: unreported },
          }),
        )
    }
    if (phase === 'reporting' && op !== null) this.#report(index, one, op)
    if (phase === 'reading' && op !== null) this.#readBack(index, one, op)
  }

  #report(index: number, one: Member, op: NonNullable<Member['op']>): void {
    const name = `helper ${index}`
    const made = this.#made(this.#state, op, -1, index)
    const reading = (state: SharedState): SharedState =>
      this.#withM(index, { ...(state.members[index] ?? one), phase: 'reading' }, state)
    this.#add(`the store answers the report of ${name}`, reading(made))
    const lost = this.#spend('losses')
    if (!lost) return
    // All its tries are lost, so it goes on, and reports more at the next.
    const giveUp = (state: SharedState): SharedState =>
      this.#withM(index, { ...(state.members[index] ?? one), phase: 'in', op: null }, state)
    if (made !== this.#state)
      this.#add(
        `${name} gets no answer, but its report is made`,
        giveUp(this.#made(lost, op, -1, index)),
        true,
      )
    const late = [...lost.late, { op, coordinator: -1, member: index }].slice(0, 1)
    this.#add(`the report of ${name} is late`, giveUp({ ...lost, late }), true)
  }

  /** It reads its membership after the commit. */
  #readBack(index: number, one: Member, op: NonNullable<Member['op']>): void {
    const { records } = this.#state
    const member = records.members.find(({ id }) => id === one.id)
    if (!member) {
      this.#add(`helper ${index} reads that it was dismissed`, this.#withM(index, OUT))
      return
    }
    // The turn has grown by one, by this commit or by an earlier one.
    const reported = one.landed === null ? [] : this.#rules.counts ? one.landed : op.reports
    this.#add(
      `helper ${index} reads its membership`,
      this.#withM(index, {
        ...one,
        phase: 'in',
        op: null,
        landed: null,
        turn: member.turn,
        unreported: one.unreported.filter(({ page }) => !reported.some(isOf(page))),
      }),
    )
  }
}
