import type { KeyPart } from '../../src/kernel/key.ts'
import type { Commit, Store } from '../../src/ports/store.ts'
import { partsOf } from './commit-parts.ts'
import type { Name, Part, Writes } from './commit-parts.ts'
import { apply, isOver, QUEUED, RULES } from './commits.ts'
import type { MemberPage, Op, Records } from './commits.ts'

/** One execution, as the model has it. */
interface Followed {
  readonly records: Records
  /** The name in the counters: that of the commit that wrote them last. */
  readonly commit: string
}

/**
 * Follows the commits of a world, and compares each with the model: it must be a step that the
 * model has, by a process that may make it, under the conditions that the model names, with the
 * same result.
 */
export class History {
  readonly #executions = new Map<string, Followed>()
  readonly #tokens = new Map<string, number>()
  readonly #tell: (promise: string) => void
  /** How many commits of each kind were compared. */
  readonly steps = new Map<string, number>()

  /** `tell`: told of each commit that the model refuses. */
  constructor(tell: (promise: string) => void) {
    this.#tell = tell
  }

  /** The same store. Its commits apply in the order of their calls, and are compared in that order. */
  follow(store: Store): Store {
    return {
      get: (keys) => store.get(keys),
      list: (range) => store.list(range),
      close: () => store.close(),
      commit: (change) => {
        const answer = store.commit(change)
        answer.then(
          (isApplied) => {
            if (isApplied) this.#compare(change)
          },
          () => {},
        )
        return answer
      },
    }
  }

  #compare(change: Commit): void {
    for (const [id, part] of partsOf(change)) {
      const reason = this.#step(id, part)
      if (reason !== null) this.#tell(`the model refuses a commit: ${reason}`)
    }
  }

  /** The reason why the model does not have this step. */
  #step(id: string, { writes, checks }: Part): string | null {
    const before = this.#executions.get(id)
    const execution = writes.executions[0]
    if (!before) {
      if (!execution?.value) return null
      const { status } = execution.value
      this.#executions.set(id, { records: { ...QUEUED, status }, commit: '' })
      return status === 'queued' ? null : `an execution begins as ${status}`
    }
    if (execution?.value === null) {
      this.#executions.delete(id)
      return isOver(before.records.status) ? null : 'an execution is deleted that is not over'
    }
    // A helper that has not heard of the end reports as before.
    const isReport = writes.hands.some(({ value }) => value !== null)
    if (isOver(before.records.status) && writes.executions.length === 0 && !isReport)
      return this.#sweep(id, before, writes)
    const step = this.#opOf(before, writes, checks)
    if (typeof step === 'string') return step
    if (step === null) return null
    const { op, needs, token } = step
    this.steps.set(op.kind, (this.steps.get(op.kind) ?? 0) + 1)
    const missing = needs.filter((name) => !checks.has(name))
    if (missing.length > 0) return `${op.kind} without a check of ${missing.join(', ')}`
    const records = apply(before.records, op, RULES, token)
    if (typeof records === 'string') return `${op.kind}: its ${records} is not the present one`
    this.#executions.set(id, {
      records: { ...records, broken: null },
      commit: writes.progress[0]?.value?.commit ?? before.commit,
    })
    if (records.broken !== null) return `${op.kind}: ${records.broken}`
    return this.#difference(before.records, records, writes)
  }

  /** An execution that is over: its records are swept and erased bit by bit. */
  #sweep(id: string, { records, commit }: Followed, writes: Writes): string | null {
    const { fences, heartbeats, frontier, visits, errands, reports, hands, crews } = writes
    for (const list of [fences, heartbeats, frontier, visits, errands, reports])
      if (list.some(({ value }) => value !== null))
        return 'an execution that is over gets new records'
    const counters = writes.progress[0]?.value
    if (counters && counters.commit !== commit) return 'an execution that is over gets new counters'
    const left = new Set(hands.map((hand) => this.#tokenOf(String(hand.id[0]))))
    const gone = [...this.#gone(errands), ...this.#gone(reports)]
    const stays = (page: MemberPage): boolean =>
      !gone.some(({ member, number }) => member === page.member && number === page.number)
    this.#executions.set(id, {
      commit,
      records: {
        ...records,
        isOpen: records.isOpen && crews.length === 0,
        members: records.members.filter((member) => !left.has(member.id)),
        assigned: records.assigned.filter(stays),
        reports: records.reports.filter(stays),
      },
    })
    return null
  }

  /** The step of the model that a commit is. `null`: it changes nothing that the model has. */
  #opOf(
    { records, commit }: Followed,
    writes: Writes,
    checks: ReadonlySet<Name>,
  ): { op: Op; needs: readonly Name[]; token?: number } | string | null {
    const { move, count } = records
    const fence = writes.fences[0]?.value
    if (fence) {
      if (this.#tokens.has(fence.holder)) return 'a holder takes the fence twice'
      const token = this.#tokenOf(fence.holder)
      const op: Op = { kind: 'take', move, beat: records.beat }
      return { op, needs: ['executions', 'heartbeats'], token }
    }
    const progress = writes.progress[0]?.value
    if (progress && progress.commit !== commit) {
      const author = progress.commit.slice(0, progress.commit.lastIndexOf(':'))
      return {
        op: {
          kind: 'settle',
          fence: this.#tokenOf(author),
          count,
          done: numbersOf(writes.visits),
          added: [
            ...numbersOf(writes.frontier.filter(({ value }) => value !== null)),
            ...numbersOf(writes.visits).filter((page) => !records.waiting.includes(page)),
          ],
          credits: writes.visits.reduce((sum, { value }) => sum + (value?.credits ?? 0), 0),
          beats: writes.heartbeats.length > 0,
          ended: [...this.#gone(writes.errands), ...this.#gone(writes.reports)],
        },
        needs: ['fences', 'progress'],
      }
    }
    const execution = writes.executions[0]?.value
    if (execution) {
      const to = execution.status
      // A note about an execution is not a move.
      if (to === records.status && !(to === 'queued' && checks.has('executions')))
        return checks.has('executions') ? null : 'an execution changes without a check of it'
      const isHolders = checks.has('fences') && records.fence !== null
      return {
        op: {
          kind: 'move',
          to,
          move,
          ...(isHolders && { fence: records.fence }),
          ...(isOver(to) && { count }),
        },
        needs: ['executions', ...(isOver(to) ? (['progress'] as const) : [])],
      }
    }
    return this.#sharedOpOf(records, writes)
  }

  #sharedOpOf(
    records: Records,
    writes: Writes,
  ): { op: Op; needs: readonly Name[] } | string | null {
    const fence = records.fence ?? -1
    if (writes.frontier.length + writes.visits.length > 0)
      return 'pages change without the counters'
    if (writes.crews[0]?.value?.closed === false)
      return { op: { kind: 'open', fence }, needs: ['fences'] }
    const hand = writes.hands[0]
    if (hand?.value) {
      const member = this.#tokenOf(hand.value.hand)
      const present = records.members.find(({ id }) => id === member)
      return present === undefined
        ? { op: { kind: 'join', member }, needs: ['crews', 'hands'] }
        : {
            op: {
              kind: 'report',
              member,
              turn: present.turn,
              reports: this.#added(writes.reports),
            },
            needs: ['hands'],
          }
    }
    if (hand) {
      const member = this.#tokenOf(String(hand.id[0]))
      const turn = records.members.find(({ id }) => id === member)?.turn ?? -1
      return { op: { kind: 'dismiss', fence, member, turn }, needs: ['fences', 'hands'] }
    }
    if (writes.errands.length + writes.reports.length > 0) {
      if (writes.reports.some(({ value }) => value !== null)) return 'a report without its member'
      return {
        op: {
          kind: 'send',
          fence,
          assigned: this.#added(writes.errands),
          ended: this.#gone(writes.errands),
          read: this.#gone(writes.reports),
        },
        needs: ['fences'],
      }
    }
    const beat = writes.heartbeats[0]
    if (beat?.value)
      return { op: { kind: 'beat', fence: this.#tokenOf(beat.value.holder) }, needs: ['fences'] }
    return beat ? { op: { kind: 'release', fence }, needs: ['fences'] } : null
  }

  /** The first difference between the records after a commit and those of the model. */
  #difference(before: Records, after: Records, writes: Writes): string | null {
    const [fence, beat, execution] = [writes.fences[0], writes.heartbeats[0], writes.executions[0]]
    const token = fence
      ? fence.value && this.#tokenOf(fence.value.holder)
      : (before.fence satisfies number | null)
    const hasBeat = beat ? beat.value !== null : before.beat !== null
    const waiting = new Set(before.waiting)
    for (const { id, value } of writes.frontier)
      if (value === null) waiting.delete(Number(id[0]))
      else waiting.add(Number(id[0]))
    const { credits } = writes.progress[0]?.value ?? { credits: after.paid }
    const status = execution?.value?.status ?? before.status
    return status !== after.status
      ? `the execution is ${status}, not ${after.status}`
      : token !== after.fence
        ? 'the fence has another holder'
        : hasBeat !== (after.beat !== null)
          ? 'the heartbeat differs'
          : waiting.size !== after.waiting.length ||
              after.waiting.some((page) => !waiting.has(page))
            ? 'the frontier differs'
            : credits !== after.paid
              ? 'the counters have other credits than the pages'
              : null
  }

  #tokenOf(name: string): number {
    const token = this.#tokens.get(name) ?? this.#tokens.size + 1
    this.#tokens.set(name, token)
    return token
  }

  #added(list: Writes['errands'] | Writes['reports']): readonly MemberPage[] {
    return list.flatMap(({ id, value }) => (value === null ? [] : [this.#pageOf(id, value.id)]))
  }

  #gone(list: Writes['errands'] | Writes['reports']): readonly MemberPage[] {
    return list.flatMap(({ id, value }) => (value === null ? [this.#pageOf(id, '')] : []))
  }

  #pageOf([hand, number]: readonly KeyPart[], id: string): MemberPage {
    return { member: this.#tokenOf(String(hand)), number: Number(number), page: Number(id) }
  }
}

function numbersOf(list: readonly { readonly id: readonly KeyPart[] }[]): readonly number[] {
  return list.map(({ id }) => Number(id[0]))
}
