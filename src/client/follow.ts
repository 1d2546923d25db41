import type { Execution, ExecutionsResource } from './operations.ts'
import type { ClientClock } from './options.ts'

/** How to follow an execution. */
export interface FollowOptions {
  readonly signal?: AbortSignal
  /** The first wait between two looks, in ms; each further one is a fifth longer, up to 5 s. Default 250. */
  readonly intervalMs?: number
}

/** Calls of `executions`, and what is made of them. */
export interface ExecutionsClient extends ExecutionsResource {
  /**
   * An execution as it is now, and then each time it is seen to have changed, until it is finished; a paused one is not.
   *
   * @example
   * const client = createClient({ baseUrl: 'https://data.example', apiKey: 'svc_sk_…' })
   * for await (const { status, counters } of client.executions.follow('exec_1')) console.log(status, counters.visited)
   */
  follow(id: string, options?: FollowOptions): AsyncGenerator<Execution, void, undefined>
  /** The execution once it is finished, however it ended: look at its `status`. */
  wait(id: string, options?: FollowOptions): Promise<Execution>
}

const FIRST_MS = 250
const MOST_MS = 5_000
const GROWTH = 1.2

/** Adds {@link ExecutionsClient.follow} and {@link ExecutionsClient.wait}. */
export function withFollow(executions: ExecutionsResource, clock: ClientClock): ExecutionsClient {
  const follow: ExecutionsClient['follow'] = async function* (id, { signal, intervalMs = FIRST_MS } = {}) {
    let seen = ''
    // Often at first, as most runs are short; then seldom, as calls are counted.
    for (let wait = intervalMs; ; wait = Math.max(intervalMs, Math.min(MOST_MS, Math.ceil(wait * GROWTH)))) {
      const execution = await executions.read(id, signal && { signal })
      const state = JSON.stringify(execution)
      if (state !== seen) yield execution
      if (execution.finishedAt !== null) return
      seen = state
      await clock.sleep(wait, signal)
    }
  }
  return {
    ...executions,
    follow,
    async wait(id, options) {
      for await (const execution of follow(id, options)) if (execution.finishedAt !== null) return execution
      throw new TypeError('An execution was followed to no end')
    },
  }
}
