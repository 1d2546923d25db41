import { eraseAccount } from '../features/backup/erase.ts'
import type { ErasableBlobs } from '../features/backup/erase.ts'
import { overtaken } from '../features/operator/erasure.ts'
import { openOperatorRecords } from '../features/operator/records.ts'
import { operatorRoutes } from '../features/operator/routes.ts'
import { createOperator } from '../features/operator/service.ts'
import type { OperatorOptions } from '../features/operator/service.ts'
import type { OperatorUpkeep } from '../features/operator/upkeep.ts'
import { collectionsOf } from '../features/records.ts'
import { once } from '../kernel/concurrency.ts'
import type { AnyRoute } from '../kernel/http/route.ts'
import type { Store } from '../ports/store.ts'
import { retryFailures } from '../records/retry.ts'
import { WholeStore } from '../records/whole-store.ts'
import type { PlatformCore } from './core.ts'
import type { Services } from './services.ts'

/**
 * Maximum time of retries, because the caller waits. If the store cannot be reached for longer, the
 * caller gets the error.
 */
const AT_ONCE = { sleep: async () => undefined }

/** Maximum number of differences of one account that a verification lists. */
const MOST_LISTED = 100

/** The routes of operators. Few processes have them, so they are a separate module. */
export function operatorRoutesOf(
  { core, services }: { readonly core: PlatformCore; readonly services: Services },
  facts: Pick<OperatorOptions, 'health' | 'readsJobs' | 'version'>,
): readonly AnyRoute[] {
  const { executions, keys, billing } = services.api
  return operatorRoutes(
    createOperator(core, {
      ...facts,
      executions,
      keys,
      billing,
      operatorRecords: openOperatorRecords(core.store),
      upkeep: upkeepOf(core),
    }),
  )
}

/** Calls that read all records of an account. */
function upkeepOf({ store, records, blobs }: PlatformCore): OperatorUpkeep {
  return {
    async *reports(account, signal) {
      // Loaded on demand: few operators verify.
      const [{ inspect }, { verify }] = await Promise.all([
        import('../features/verify/inspect.ts'),
        import('../features/verify/service.ts'),
      ])
      const inspection = { ...inspect(readUntil(store, signal)), blobs }
      const accounts = account === null ? inspection.accounts() : [account]
      for await (const name of accounts)
        yield { account: name, report: verify(inspection, { account: name }, MOST_LISTED) }
    },
    erase: (account, begin) => {
      const begun = once(begin)
      const whole = new WholeStore(
        {
          ...readUntil(store),
          async commit(change) {
            const check = [...(change.check ?? []), await begun()]
            // A deletion whose answer was lost may be repeated.
            if (!(await retryFailures(AT_ONCE, () => store.commit({ ...change, check }))))
              throw overtaken(account)
            return true
          },
        },
        collectionsOf(records),
      )
      const ownBlobs: ErasableBlobs = {
        list: (folder) => blobs.list(folder),
        async remove(name) {
          const { key, version } = await begun()
          // The deletion of blobs is not a commit, so the fence is checked before it.
          const [state] = await retryFailures(AT_ONCE, () => store.get([key]))
          if (state?.version !== version) throw overtaken(account)
          await blobs.remove(name)
        },
      }
      return eraseAccount({ records, blobs: ownBlobs, whole }, account)
    },
  }
}

/** The same store, but no read begins after the signal has aborted. */
function readUntil(store: Store, signal?: AbortSignal): Store {
  return {
    async get(keys) {
      signal?.throwIfAborted()
      return store.get(keys)
    },
    async list(range) {
      signal?.throwIfAborted()
      return store.list(range)
    },
    commit: (change) => store.commit(change),
    close: async () => undefined,
  }
}
