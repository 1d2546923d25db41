import type { Job, JobJson } from 'bullmq'
import type { BullWorker } from './driver.ts'
import { isReminder, payloadFrom } from './payload.ts'
import type { Payload } from './payload.ts'
import { ShareLines } from './share-lines.ts'

/** How long the server is asked at most to tell of a job at once, in seconds. */
const WAIT_SECONDS = 5

/** A job that this process has taken. */
export interface Taken {
  readonly job: Job
  readonly token: string
  readonly payload: Payload
  /** It is a reminder of the job that was pushed. */
  readonly reminds: boolean
  /** Deliveries in a row, up to this one, whose consumers have died. */
  readonly lost: number
}

/**
 * Takes jobs of one lane from BullMQ, one at a time and without its loop: which job runs where and
 * when is the consumer's.
 */
export class LaneWorker {
  /** The jobs that wait here. */
  readonly lines: ShareLines
  readonly #worker: BullWorker
  readonly #unique: () => string
  readonly #wake: () => void
  #listening = false
  #closed = false

  /** `unique`: a text that nobody else has. `wake`: hears that there may be a job. */
  constructor(worker: BullWorker, unique: () => string, wake: () => void) {
    this.#worker = worker
    this.lines = new ShareLines(worker.getBackend())
    this.#unique = unique
    this.#wake = wake
  }

  /** Starts to look after jobs whose consumers have died. */
  async ready(): Promise<void> {
    await this.#worker.waitUntilReady()
    await this.#worker.startStalledCheckTimer()
  }

  /** A job that is due, or the time at which the next one is; `null`: nobody knows of one. */
  async take(): Promise<Taken | number | null> {
    const token = this.#unique()
    const found = await this.#worker.getBackend().moveToActive(token)
    const json: JobJson | null | undefined = found[0]
    if (!json) return Number(found[3]) || null
    const job = this.#worker.jobFrom(json, String(found[1]))
    const payload = payloadFrom(job.data)
    const reminds = isReminder(job.id ?? '')
    return {
      job,
      token,
      payload,
      reminds,
      lost: reminds ? 0 : Math.max(0, job.stalledCounter - (payload.stalledBefore ?? 0)),
    }
  }

  /** Asks the server to tell at once when a job is there, if it was not asked already. */
  listen(): void {
    if (this.#listening || this.#closed) return
    this.#listening = true
    const heard = this.#worker.getBackend().waitForJob(WAIT_SECONDS)
    heard.then(
      (marker) => {
        this.#listening = false
        if (marker) this.#wake()
      },
      // Whoever waits looks from time to time anyway.
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
