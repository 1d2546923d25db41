import type { Execution, Task } from '../../../client.ts'

/** Maximum number of tasks whose runs are requested one by one, at each change of the list. */
const MOST_ASKED = 10

/** The facts of a task that are needed. */
type KnownTask = Pick<Task, 'id'>
/** The facts of a run that are needed. */
type RunOfTask = Pick<Execution, 'taskId'>

interface LatestRuns<R> {
  readonly runs: readonly R[]
  /** True: there are no other runs. */
  readonly isAll: boolean
}

/** Reads of the API. */
export interface RunSource<R extends RunOfTask = Execution> {
  /** The latest runs of all tasks. `null`: they may not be read. */
  readonly latest: () => Promise<LatestRuns<R> | null>
  readonly lastOf: (task: string) => Promise<R | null>
}

/** The last runs of tasks. It requests only unknown ones, and repeats failed requests. */
export class LastRuns<R extends RunOfTask = Execution> {
  readonly #last = new Map<string, R | null>()

  /** `null`: it has not run; `undefined`: not known. */
  of({ id }: KnownTask): R | null | undefined {
    return this.#last.get(id)
  }

  /** Asks about some tasks. */
  async read(tasks: readonly KnownTask[], source: RunSource<R>): Promise<void> {
    const answer = await orNull(source.latest())
    if (answer === null) return
    // The newest runs are first. Read in reverse order, the last run of a task is its newest.
    for (const run of answer.runs.toReversed()) if (run.taskId) this.#last.set(run.taskId, run)
    const unknown = tasks.filter(({ id }) => !this.#last.has(id))
    if (answer.isAll) for (const { id } of unknown) this.#last.set(id, null)
    else
      await Promise.all(
        // A failed request does not end the others.
        unknown
          .slice(0, MOST_ASKED)
          .map(({ id }) => orNull(source.lastOf(id).then((run) => this.#last.set(id, run)))),
      )
  }
}

function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch(() => null)
}
