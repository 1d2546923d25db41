import { apply } from './commits.ts'
import type { Op, Records, Rules } from './commits.ts'

/** How what was read before compares with the present records. */
interface Fresh {
  /** The records, with 1 for each present version. */
  readonly present: Records
  readonly freshOp: (op: Op) => Op
  readonly freshRef: (version: number, present: number | null) => number
  /** True for a commit that will never be made: it depends on a version that is old. */
  readonly isHopeless: (op: Op) => boolean
}

/**
 * Versions are never used again, so all that matters is whether a version is the present one: 1, or
 * not: 0. That makes the number of states finite.
 */
export function freshen(records: Records, rules: Rules): Fresh {
  const freshRef = (version: number, present: number | null): number =>
    version === present ? 1 : 0
  const freshBeat = (version: number | null): number | null =>
    version === null ? null : freshRef(version, records.beat)
  const turns = new Map(records.members.map(({ id, turn }) => [id, turn]))
  return {
    freshRef,
    isHopeless: (op) => {
      const reason = apply(records, op, rules)
      return (
        reason === 'fence' ||
        reason === 'count' ||
        reason === 'move' ||
        reason === 'turn' ||
        (reason === 'beat' && op.kind === 'take' && op.beat !== null)
      )
    },
    present: {
      ...records,
      move: 1,
      count: 1,
      fence: records.fence === null ? null : 1,
      beat: records.beat === null ? null : 1,
      members: records.members.map((member) => ({ ...member, turn: 1 })),
    },
    freshOp: (op) => ({
      ...op,
      ...('fence' in op && op.fence !== undefined && { fence: freshRef(op.fence, records.fence) }),
      ...('count' in op && op.count !== undefined && { count: freshRef(op.count, records.count) }),
      ...('move' in op && { move: freshRef(op.move, records.move) }),
      ...('beat' in op && { beat: freshBeat(op.beat) }),
      ...('turn' in op && { turn: freshRef(op.turn, turns.get(op.member) ?? null) }),
    }),
  }
}
