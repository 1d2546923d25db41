import type {
  ExecutionRecord,
  FenceRecord,
  HeartbeatRecord,
  ProgressRecord,
  VisitRecord,
} from '../../src/features/executions/records.ts'
import type {
  AssignmentRecord,
  MembershipRecord,
  ReportRecord,
  SharedRunRecord,
} from '../../src/features/executions/crawl-records.ts'
import type { KeyPart } from '../../src/kernel/key.ts'
import type { Commit } from '../../src/ports/store.ts'

/** The values that collections of executions have in the store. */
interface Values {
  readonly executions: ExecutionRecord
  readonly fences: FenceRecord
  readonly heartbeats: HeartbeatRecord
  readonly progress: ProgressRecord
  readonly frontier: unknown
  readonly visits: VisitRecord
  readonly crews: SharedRunRecord
  readonly hands: MembershipRecord
  readonly errands: AssignmentRecord
  readonly reports: ReportRecord
}

export type Name = keyof Values

/** Parts of a commit that are of one execution. `id`: the parts of the key after the execution. */
export type Writes = { readonly [N in Name]: { id: readonly KeyPart[]; value: Values[N] | null }[] }

export interface Part {
  readonly writes: Writes
  /** Collections whose records the commit depends on. */
  readonly checks: Set<Name>
}

const NAMES: ReadonlySet<string> = new Set<Name>([
  'executions',
  'fences',
  'heartbeats',
  'progress',
  'frontier',
  'visits',
  'crews',
  'hands',
  'errands',
  'reports',
])

function isName(part: KeyPart | undefined): part is Name {
  return typeof part === 'string' && NAMES.has(part)
}

/** The parts of a commit by execution. */
export function partsOf(change: Commit): Map<string, Part> {
  const parts = new Map<string, Part>()
  const partOf = (account: KeyPart | undefined, execution: KeyPart | undefined): Part => {
    const id = `${account}/${execution}`
    const part = parts.get(id) ?? { writes: noWrites(), checks: new Set<Name>() }
    parts.set(id, part)
    return part
  }
  for (const { key, value } of change.set ?? []) add(key, value)
  for (const key of change.delete ?? []) add(key, null)
  for (const { key } of change.check ?? []) {
    const [account, name, execution] = key
    if (isName(name) && parts.has(`${account}/${execution}`))
      partOf(account, execution).checks.add(name)
  }
  return parts

  function add([account, name, execution, ...id]: readonly KeyPart[], value: unknown): void {
    if (!isName(name)) return
    // Each collection has values of one type.
    const list: { id: readonly KeyPart[]; value: unknown }[] = partOf(account, execution).writes[
      name
    ]
    list.push({ id, value })
  }
}

function noWrites(): Writes {
  return {
    executions: [],
    fences: [],
    heartbeats: [],
    progress: [],
    frontier: [],
    visits: [],
    crews: [],
    hands: [],
    errands: [],
    reports: [],
  }
}
