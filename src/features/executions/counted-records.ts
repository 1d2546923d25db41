import type { Metric, Telemetry } from '../../ports/telemetry.ts'
import type { Store } from '../../ports/store.ts'
import type { Change } from '../../records/change.ts'
import { Collection } from '../../records/collection.ts'
import type { CollectionSpec, Stored } from '../../records/collection.ts'

const EXECUTIONS: Metric = {
  name: 'seine.executions',
  unit: '{execution}',
  description: 'Executions by each status that they reach',
}

/** The counted properties of an execution. */
interface HasStatus {
  readonly status: string
}

/** The executions of a platform with telemetry. Each change of status is counted once. */
export class CountedExecutions<T extends HasStatus> extends Collection<T> {
  readonly #telemetry: Telemetry

  constructor(store: Store, spec: CollectionSpec<T>, telemetry: Telemetry) {
    super(store, spec)
    this.#telemetry = telemetry
  }

  override insert(change: Change, account: string, value: T): void {
    super.insert(change, account, value)
    this.#count(change, value)
  }

  override update(change: Change, account: string, old: Stored<T>, value: T): void {
    super.update(change, account, old, value)
    if (old.value.status !== value.status) this.#count(change, value)
  }

  #count(change: Change, { status }: HasStatus): void {
    change.whenApplied(() =>
      this.#telemetry.count(EXECUTIONS, 1, { 'seine.execution.status': status }),
    )
  }
}
