import type { Job, JobJson } from 'bullmq'
import type { BullWorker } from './driver.ts'
import { isReminder, payloadFrom } from './payload.ts'
import type { Payload } from './payload.ts'
import { ShareLines } from './share-lines.ts'

/** The longest time of one blocking wait for a job, in seconds. */
const WAIT_SECONDS = 5

/** A job that this process has taken. */
export interface ActiveJob {
  readonly job: Job
  readonly token: string
  readonly payload: Payload
  /** True if this is only the reminder of a pushed job. */
  readonly reminds: boolean
  /** Number of consecutive deliveries, up to this one, whose consumers have died. */
  readonly lost: number
  /** True if the last of these consumers died after the last delivery that ended. */
  readonly isNewlyLost: boolean
}

/**
 * Takes jobs of one lane from BullMQ, one at a time, without BullMQ's loop: the consumer decides
 * which job runs where and when.
 */
export class LaneWorker {
  /** The waiting jobs. */
  readonly lines: ShareLines
  readonly #worker: BullWorker
  readonly #unique: () => string
  readonly #wake: () => void
  #listening = false
  #closed = false

  /** `unique`: returns a unique text. `wake`: called when there may be a job. */
  constructor(worker: BullWorker, unique: () => string, wake: () => void) {
    this.#worker = worker
    this.lines = new ShareLines(worker.getBackend())
    this.#unique = unique
    this.#wake = wake
  }

  /** Starts the check for jobs whose consumers have died. */
  async ready(): Promise<void> {
    await this.#worker.waitUntilReady()
    await this.#worker.startStalledCheckTimer()
  }

  /** Returns a due job, or the time of the next one; `null`: no job is known. */
  async take(): Promise<ActiveJob | number | null> {
    const token = this.#unique()
    const reply = await this.#worker.getBackend().moveToActive(token)
    const json: JobJson | null | undefined = reply[0]
    if (!json) return Number(reply[3]) || null
    const job = this.#worker.jobFrom(json, String(reply[1]))
    const payload = payloadFrom(job.data)
    const reminds = isReminder(job.id ?? '')
    const { stalledBefore = 0, stalledCounted = 0 } = payload
    const lost = reminds ? 0 : Math.max(0, job.stalledCounter - stalledBefore)
    const isNewlyLost = lost > 0 && job.stalledCounter > stalledCounted
    return { job, token, payload, reminds, lost, isNewlyLost }
  }

  /** Starts a blocking wait for a job, unless one is pending. */
  listen(): void {
    if (this.#listening || this.#closed) return
    this.#listening = true
    const wait = this.#worker.getBackend().waitForJob(WAIT_SECONDS)
    wait.then(
      (marker) => {
        this.#listening = false
        if (marker) this.#wake()
      },
      // The error is ignored, because the consumer polls in any case.
      () => {
        this.#listening = false
      },
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker.getBackend().disconnectBlocking(false)
    await this.#worker.close(true)
  }
}
