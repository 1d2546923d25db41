import { FAULT_KINDS, NO_FAULTS } from './faults.ts'
import type { FaultKind, Faults } from './faults.ts'

/** Changes of the world of a seed: a failing one is easier to read without most of it. */
export interface Trims {
  /** The most virtual minutes in which things go wrong. It shortens the time that was drawn. */
  readonly until: number
  readonly customers: number
  readonly processes: number
  /** False: nobody sends anything to everything. */
  readonly stranger: boolean
  /** False: nobody lives there beside customers, stranger and operator. */
  readonly others: boolean
  /** Kinds of faults that are left out. */
  readonly without: readonly FaultKind[]
  /** Faults that replace those that were drawn. */
  readonly force: Partial<Faults>
}

/** Nothing is left out. */
export const WHOLE: Trims = {
  until: Infinity,
  customers: Infinity,
  processes: Infinity,
  stranger: true,
  others: true,
  without: [],
  force: {},
}

/** The faults that are left. All were drawn before, so that the rest of the world stays the same. */
export function trimFaults(faults: Faults, { without, force }: Trims): Faults {
  return without.reduce((left, kind) => ({ ...left, [kind]: NO_FAULTS[kind] }), {
    ...faults,
    ...force,
  })
}

/**
 * Reads `crashes=30,slow=0.5`.
 *
 * @throws {Error} for a kind that does not exist, and for a text that is not a number
 */
export function parseForce(text: string): Partial<Faults> {
  return Object.fromEntries(
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', value] = part.split('=')
        if (!Object.hasOwn(NO_FAULTS, name) || !(Number(value) >= 0))
          throw new Error(`There is no fault ${part}; kinds: ${Object.keys(NO_FAULTS).join(', ')}`)
        return [name, Number(value)]
      }),
  )
}

/** Smaller worlds to try, the largest steps first. */
export function smaller(trims: Trims, minutes: number): readonly Trims[] {
  return [
    ...[0.25, 0.5, 0.75, 0.9].map((share) => ({ ...trims, until: Math.ceil(minutes * share) })),
    ...[1, 2].filter((n) => n < trims.customers).map((customers) => ({ ...trims, customers })),
    ...(trims.stranger ? [{ ...trims, stranger: false }] : []),
    ...(trims.others ? [{ ...trims, others: false }] : []),
    ...[1, 2, 3].filter((n) => n < trims.processes).map((processes) => ({ ...trims, processes })),
    ...FAULT_KINDS.filter((kind) => !trims.without.includes(kind)).map((kind) => ({
      ...trims,
      without: [...trims.without, kind],
    })),
  ]
}

/** The options of the command that play the trimmed world again. */
export function optionsOf(trims: Trims): string {
  const { until, customers, processes, stranger, others, without } = trims
  const force = Object.entries(trims.force).map(([kind, value]) => `${kind}=${value}`)
  return [
    ...(until === Infinity ? [] : [`--until ${until}`]),
    ...(customers === Infinity ? [] : [`--customers ${customers}`]),
    ...(processes === Infinity ? [] : [`--processes ${processes}`]),
    ...(stranger ? [] : ['--no-stranger']),
    ...(others ? [] : ['--no-others']),
    ...(without.length === 0 ? [] : [`--without ${without.join(',')}`]),
    ...(force.length === 0 ? [] : [`--force ${force.join(',')}`]),
  ].join(' ')
}
