import type { Execution, Task } from '../../../client.ts'

/** Tasks that are asked about one by one, at each change of their list. */
const MOST_ASKED = 10

/** What must be known of a task. */
type PlannedTask = Pick<Task, 'id' | 'status' | 'schedule' | 'updatedAt'>
/** What must be known of a run. */
type RunOfTask = Pick<Execution, 'taskId'>

/** What a task did last, and when it runs next. */
export interface TaskFacts<R extends RunOfTask = Execution> {
  /** `null`: it has not run; `undefined`: not known. */
  readonly last: R | null | undefined
  /** `null`: it does not run by itself; `undefined`: not known. */
  readonly next: string | null | undefined
}

interface LatestRuns<R> {
  readonly runs: readonly R[]
  /** True: there are no others. */
  readonly isAll: boolean
}

/** Reads of the API. */
export interface FactSource<R extends RunOfTask = Execution> {
  /** The latest runs of all tasks; `null`: they may not be read. */
  readonly latest: () => Promise<LatestRuns<R> | null>
  readonly lastOf: (task: string) => Promise<R | null>
  readonly nextOf: (task: string) => Promise<string | null>
  readonly now: () => number
}

interface NextRun {
  readonly time: string | null
  /** When the task was saved that it is of. */
  readonly savedAt: string
}

/** What is known of tasks. It asks only for what it does not know; what fails is asked for again. */
export class KnownFacts<R extends RunOfTask = Execution> {
  readonly #last = new Map<string, R | null>()
  readonly #next = new Map<string, NextRun>()

  of({ id, status, schedule }: PlannedTask): TaskFacts<R> {
    const isPlanned = status === 'active' && schedule !== null
    return { last: this.#last.get(id), next: isPlanned ? this.#next.get(id)?.time : null }
  }

  /** Asks about some tasks. */
  async read(tasks: readonly PlannedTask[], source: FactSource<R>): Promise<void> {
    await Promise.all([this.#readLast(tasks, source), this.#readNext(tasks, source)])
  }

  async #readLast(tasks: readonly PlannedTask[], source: FactSource<R>): Promise<void> {
    const answer = await orNull(source.latest())
    if (answer === null) return
    // The newest are first, so the last of a task in turned order is its newest.
    for (const run of answer.runs.toReversed()) if (run.taskId) this.#last.set(run.taskId, run)
    const unknown = tasks.filter(({ id }) => !this.#last.has(id))
    if (answer.isAll) for (const { id } of unknown) this.#last.set(id, null)
    else
      await each(unknown, async ({ id }) => {
        this.#last.set(id, await source.lastOf(id))
      })
  }

  #readNext(tasks: readonly PlannedTask[], source: FactSource<R>): Promise<void> {
    const unknown = tasks.filter(({ id, status, schedule, updatedAt }) => {
      if (status !== 'active' || schedule === null) return false
      const next = this.#next.get(id)
      const isOver = next?.time != null && Date.parse(next.time) <= source.now()
      return next === undefined || next.savedAt !== updatedAt || isOver
    })
    return each(unknown, async ({ id, updatedAt: savedAt }) => {
      this.#next.set(id, { time: await source.nextOf(id), savedAt })
    })
  }
}

/** Does something with the first tasks. One that fails does not end the others. */
async function each(
  tasks: readonly PlannedTask[],
  work: (task: PlannedTask) => Promise<void>,
): Promise<void> {
  await Promise.all(tasks.slice(0, MOST_ASKED).map((task) => orNull(work(task))))
}

function orNull<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch(() => null)
}
