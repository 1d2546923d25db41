import { MOST_AHEAD_MS } from '../../src/kernel/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Job } from '../../src/ports/queue.ts'
import type { BullJobs } from './driver.ts'
import { jobId, payloadFrom, reminderId } from './payload.ts'
import type { Payload } from './payload.ts'
import { ignoreRefusal, lineOf, NO_LINE } from './share-lines.ts'

/** Interval at which a reminder checks whether its job still runs, in ms. */
export const CHECK_AGAIN_MS = 1_000

/**
 * The jobs of one lane, in a queue of BullMQ. An id has one job. A push while that job runs adds a
 * reminder: a delayed job that pushes again when the run has ended. When the run ends, it makes the
 * reminder due at once. If that fails, the reminder becomes due by itself.
 */
export class LaneJobs {
  readonly #jobs: BullJobs
  readonly #clock: Pick<Clock, 'now'>
  readonly #unique: () => string

  /** `unique`: returns a unique text. */
  constructor(jobs: BullJobs, clock: Pick<Clock, 'now'>, unique: () => string) {
    this.#jobs = jobs
    this.#clock = clock
    this.#unique = unique
  }

  async push({ id, kind, data, share }: Job, index: number): Promise<void> {
    const dueAt = Math.min(index, this.#clock.now() + MOST_AHEAD_MS)
    const payload: Payload = {
      id,
      data,
      ...(share !== undefined && { share }),
      at: dueAt,
      before: 0,
    }
    const state = await this.#jobs.getJobState(jobId(id))
    if (state === 'active') await this.#remind(kind, payload)
    // If another process has added the job since, it has not run yet, or its run began after this
    // push.
    else if (state === 'unknown') await this.#add(jobId(id), kind, payload, dueAt)
  }

  /** Performs the push of a reminder; `false`: the job still runs. */
  async follow(kind: string, payload: Payload): Promise<boolean> {
    const id = jobId(payload.id)
    switch (await this.#jobs.getJobState(id)) {
      case 'active':
        return false
      case 'unknown':
        await this.#add(id, kind, { ...payload, before: 0 }, payload.at)
        return true
      case 'delayed': {
        const job = await this.#jobs.getJob(id)
        // The handler has asked for the job again, but for a later time than the push.
        if (job && payloadFrom(job.data).at > payload.at)
          await job.changeDelay(this.#until(payload.at)).catch(ignoreRefusal)
        return true
      }
      default:
        return true
    }
  }

  /** Makes the reminder of an ended job due at the time of its push. */
  async hurry(id: string): Promise<void> {
    const reminder = await this.#jobs.getJob(reminderId(id))
    if (reminder)
      await reminder.changeDelay(this.#until(payloadFrom(reminder.data).at)).catch(ignoreRefusal)
  }

  close(): Promise<void> {
    return this.#jobs.close()
  }

  async #remind(kind: string, payload: Payload): Promise<void> {
    const dueAt = Math.max(payload.at, this.#clock.now() + CHECK_AGAIN_MS)
    const id = reminderId(payload.id)
    const state = await this.#jobs.getJobState(id)
    // The reminder may have checked the job already, before this push.
    if (state === 'active')
      return this.#add(`${id}-${this.#unique()}`, kind, payload, dueAt, NO_LINE)
    const present = state === 'unknown' ? undefined : await this.#jobs.getJob(id)
    // This has no effect if another process has added the job since.
    if (!present) return this.#add(id, kind, payload, dueAt, NO_LINE)
    if (payloadFrom(present.data).at <= payload.at) return
    await present.updateData(payload)
    await present.changeDelay(this.#until(dueAt)).catch(ignoreRefusal)
  }

  async #add(
    id: string,
    kind: string,
    payload: Payload,
    dueAt: number,
    line = lineOf(payload.share ?? ''),
  ): Promise<void> {
    await this.#jobs.add(kind, payload, {
      jobId: id,
      delay: this.#until(dueAt),
      priority: line,
      removeOnComplete: true,
    })
  }

  #until(dueAt: number): number {
    return Math.max(0, Math.ceil(dueAt - this.#clock.now()))
  }
}
