import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Records } from '../records/records.ts'
import type { ProgressRecord } from '../records/types.ts'
import type { MediaLimits } from './media-limits.ts'
import { MediaTaker } from './media-taker.ts'

/** What a worker knows of media. */
export interface MediaSettings {
  /** What stands for an account in names of blobs and in links. */
  readonly ownerOf: (account: string) => Promise<string>
  readonly limits: MediaLimits
}

interface OpenMediaOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly egress: Egress
  readonly robots: Robots | null
  readonly clock: Clock
  readonly politeness: Politeness
  readonly media: MediaSettings
  readonly account: string
}

/** What takes the media of a run's rows; `null` where the recipe wants none. */
export async function openMedia(plan: Plan, progress: ProgressRecord, { media, ...options }: OpenMediaOptions): Promise<MediaTaker | null> {
  if (plan.media.length === 0) return null
  const owner = await media.ownerOf(options.account)
  return new MediaTaker({ ...options, owner, limits: media.limits, timeoutMs: plan.request.timeoutMs, before: progress.media ?? { items: 0, bytes: 0 } })
}
