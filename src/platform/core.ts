import { answeredInTime } from '../features/common/account-status.ts'
import { createConsoleLogger } from '../defaults/console-logger.ts'
import { cryptoRandom, systemClock } from '../defaults/system-clock.ts'
import type { Core } from '../features/core.ts'
import { createPlanOf } from '../features/ledger/account-plan.ts'
import { createLedger } from '../features/ledger/ledger.ts'
import { tariffOf } from '../features/ledger/plans.ts'
import { createHoldings } from '../features/limits/holdings.ts'
import { createShares } from '../features/limits/shares.ts'
import { createRecords } from '../features/records.ts'
import { createCursors } from '../kernel/cursor.ts'
import { createIds } from '../kernel/id.ts'
import type { AccountStatus } from '../ports/authenticator.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { once } from '../kernel/concurrency.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { platformSecret } from '../records/platform-secret.ts'
import type { PlatformOptions } from './options.ts'

/** Options of a core. */
export type CoreOptions = Pick<
  PlatformOptions,
  | 'accountStatus'
  | 'store'
  | 'blobs'
  | 'clock'
  | 'random'
  | 'logger'
  | 'operator'
  | 'telemetry'
  | 'billing'
  | 'shares'
  | 'allowPrivateNetwork'
>

/** A core, and the store of its records. */
export interface PlatformCore extends Core {
  readonly store: Store
}

/** Creates the core of a platform. Missing ports are those of `src/defaults`. */
export function createCore(options: CoreOptions): PlatformCore {
  const {
    clock = systemClock,
    random = cryptoRandom,
    logger = createConsoleLogger({ level: 'warn' }),
    telemetry = null,
    allowPrivateNetwork = false,
  } = options
  if (!options.store)
    logger.warn('No store was given: everything is kept in memory and lost when the process ends')
  if (options.store && !options.blobs)
    logger.warn(
      'A store was given but no blobs: rows are kept in memory and lost when the process ends',
    )
  const bareStore = options.store ?? memoryStore(clock)
  const store = telemetry === null ? bareStore : tracedStore(bareStore, telemetry, clock)
  const records = createRecords(store, telemetry)
  const ids = createIds({ now: () => clock.now(), random })
  const tariff = tariffOf(options.billing)
  const planOf = createPlanOf({ records, tariff })
  return {
    store,
    records,
    blobs: options.blobs ?? memoryBlobs(),
    clock,
    random,
    ids,
    cursors: createCursors(() => platformSecret(records, random, 'cursor')),
    logger,
    telemetry,
    tariff,
    ledger: createLedger({ records, ids, tariff }),
    planOf,
    holdings: createHoldings({ records, planOf }),
    shares: createShares(clock, options.shares),
    accountStatus: statusOf(store, clock, options),
    allowPrivateNetwork,
  }
}

/** The state that the host gives an account, combined with that of operators. */
function statusOf(
  store: Store,
  clock: Clock,
  { accountStatus, operator = false }: CoreOptions,
): AccountStatus | null {
  const host = accountStatus ? answeredInTime(accountStatus, clock) : null
  if (!operator) return host
  const joined = once(async () => {
    const [{ openOperatorRecords }, { joinStanding }] = await Promise.all([
      import('../features/operator/records.ts'),
      import('../features/operator/standing.ts'),
    ])
    return joinStanding(openOperatorRecords(store), host)
  })
  return async (account) => (await joined())(account)
}

/** The store with its calls measured and its commits traced. */
function tracedStore(store: Store, telemetry: Telemetry, clock: Clock): Store {
  return lazyStore(async () =>
    (await import('../records/traced-store.ts')).traceStore(store, telemetry, clock),
  )
}

/** A store in memory. Its code is loaded only if the host gives no store. */
function memoryStore(clock: Clock): Store {
  return lazyStore(async () =>
    (await import('../defaults/memory-store.ts')).createMemoryStore({ clock }),
  )
}

/** A store whose code is loaded with its first call. */
function lazyStore(open: () => Promise<Store>): Store {
  const opened = once(open)
  return {
    get: async (keys) => (await opened()).get(keys),
    list: async (range) => (await opened()).list(range),
    commit: async (change) => (await opened()).commit(change),
    close: async () => (await opened()).close(),
  }
}

/** Blobs in memory, loaded in the same way. */
function memoryBlobs(): Blobs {
  const opened = once(async () => (await import('../defaults/memory-blobs.ts')).createMemoryBlobs())
  return {
    get: async (name) => (await opened()).get(name),
    put: async (name, bytes) => (await opened()).put(name, bytes),
    remove: async (name) => (await opened()).remove(name),
    list: async (prefix) => (await opened()).list(prefix),
    close: async () => (await opened()).close(),
  }
}
