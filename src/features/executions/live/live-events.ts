import { notFound } from '../../../kernel/errors.ts'
import type { StoreFailure } from '../../../kernel/failures.ts'
import type { Principal } from '../../../kernel/http/route.ts'
import { enterStream } from '../../ledger/account-plan.ts'
import type { Execution } from '../execution.ts'
import type { Position } from './position.ts'
import type { Watcher } from './watcher.ts'
import type { Core } from '../../core.ts'

/** Options for following an execution. */
export interface FollowInput {
  /** Position to continue from. `null`: start with the present state. */
  readonly from: Position | null
  /** `false`: omit `page` events. */
  readonly pages: boolean
  /** Ends the stream. */
  readonly signal: AbortSignal
}

/** Live events of executions, as server-sent events. */
export interface LiveEvents {
  /**
   * Opens a stream. It starts work when it is first read.
   *
   * @throws {PlatformError} 404; 429 if the account has as many streams as it may
   */
  open(
    principal: Principal,
    id: string,
    input: FollowInput,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /**
   * Calls back with the execution's state, and again after each change that is seen, at most twice
   * a second. Resolves when the execution has ended, when the signal aborts, or when the platform
   * closes.
   *
   * @throws {PlatformError} 404; 429 if the account has as many streams as it may
   */
  observe(
    principal: Principal,
    id: string,
    input: {
      readonly signal: AbortSignal
      /** True if the caller has a place among the streams of its account. */
      readonly holdsStream?: boolean
      readonly seen: (execution: Execution) => void
    },
  ): Promise<void>
  /**
   * Call it when this process has changed an execution, so that its watchers need not wait for the
   * next poll.
   */
  changed(id: string): void
  /** Ends all streams. */
  close(): void
}

/**
 * Opens the live events. However many streams an execution has, one watcher reads the store for
 * them. `storeFailed` is called when the read fails.
 */
export function createLiveEvents(
  core: Core,
  storeFailed?: (failure: StoreFailure) => void,
): LiveEvents {
  const { records, shares, clock, logger } = core
  const watchers = new Map<string, Watcher>()

  const watcherOf = (create: typeof Watcher, account: string, execution: string): Watcher => {
    const running = watchers.get(execution)
    if (running && !running.closed) return running
    const watcher = new create({
      records,
      clock,
      logger,
      account,
      execution,
      storeFailed,
      onClose: () => {
        if (watchers.get(execution) === watcher) watchers.delete(execution)
      },
    })
    watchers.set(execution, watcher)
    return watcher
  }

  return {
    async open({ account }, execution, { from, pages, signal }) {
      if (!(await records.executions.get(account, execution))) throw notFound('Execution')
      const [{ LiveReader }, { Watcher: create }, leave] = await Promise.all([
        import('./reader.ts'),
        import('./watcher.ts'),
        enterStream(core, account),
      ])
      const reader = new LiveReader({
        records,
        clock,
        account,
        execution,
        from,
        pages,
        watch: (self) => {
          const watcher = watcherOf(create, account, execution)
          watcher.join(self)
          return watcher
        },
      })
      let isOpen = true
      const close = (): void => {
        isOpen = false
        leave()
        signal.removeEventListener('abort', close)
        reader.close()
      }
      signal.addEventListener('abort', close)
      if (signal.aborted) close()
      return shares.stream({
        async next() {
          const chunk = await reader.next()
          return chunk && isOpen ? { bytes: chunk } : null
        },
        leave: close,
      })
    },
    async observe({ account }, execution, { signal, holdsStream = false, seen }) {
      if (!(await records.executions.get(account, execution))) throw notFound('Execution')
      if (signal.aborted) return
      const leave = holdsStream ? () => {} : await enterStream(core, account)
      try {
        const [{ observe }, { Watcher: create }] = await Promise.all([
          import('./reader.ts'),
          import('./watcher.ts'),
        ])
        await observe(watcherOf(create, account, execution), signal, seen)
      } finally {
        leave()
      }
    },
    changed: (id) => watchers.get(id)?.nudge(),
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
