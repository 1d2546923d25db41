import type { Politeness } from '../../engine/site/politeness.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { isDataUrl } from '../../engine/media/data-url.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TakenMedia, WantedMedia } from '../../features/media/records.ts'
import type { Records } from '../../features/records.ts'
import type { ProgressRecord } from '../../features/executions/records.ts'
import type { Coordinator } from './coordinator.ts'
import { AHEAD } from './peers.ts'
import { AT_ONCE, MediaKeeper } from '../media/media-keeper.ts'
import type { MediaLimits } from '../limits.ts'
import { MediaTaker } from '../media/media-taker.ts'

/** Settings of a worker for media. */
export interface MediaSettings {
  /** Returns the identifier that stands for an account in blob names and links. */
  readonly ownerOf: (account: string) => Promise<string>
  readonly limits: MediaLimits
}

/**
 * Creates the keeper that downloads and stores media in this process. `null`: the recipe has no
 * media.
 */
export async function openMedia(
  plan: CrawlPlan,
  {
    media,
    ...options
  }: {
    readonly records: Records
    readonly blobs: Blobs
    readonly egress: Egress
    readonly robots: Robots | null
    readonly clock: Clock
    readonly politeness: Politeness
    readonly media: MediaSettings
    readonly account: string
    readonly execution: string
  },
): Promise<MediaKeeper | null> {
  if (plan.media.length === 0) return null
  const owner = await media.ownerOf(options.account)
  return new MediaKeeper({
    ...options,
    owner,
    maxBytes: media.limits.maxBytes,
    timeoutMs: plan.request.timeoutMs,
  })
}

/**
 * Creates the taker of a run's media. With a coordinator, each item is fetched by the process that
 * has its host. `before`: items and bytes that the execution has already fetched.
 */
export function openTaker(
  keeper: MediaKeeper | null,
  coordinator: Coordinator | null,
  {
    limits,
    share,
    before,
  }: {
    readonly limits: MediaLimits
    readonly share: number
    readonly before: ProgressRecord['media']
  },
): MediaTaker | null {
  if (!keeper) return null
  return new MediaTaker({
    fetch: (request, signal) =>
      coordinator && !isDataUrl(request.url)
        ? coordinator.fetch(request)
        : keeper.fetch(request, signal),
    atOnce: coordinator ? AT_ONCE * AHEAD * share : AT_ONCE,
    limits,
    before: before ?? { items: 0, bytes: 0 },
  })
}

/** Returns a function that fetches media when the caller has reserved the request. */
export function fetcherOf(
  keeper: MediaKeeper | null,
): (media: WantedMedia, signal: AbortSignal) => Promise<TakenMedia> {
  return (media, signal) => {
    if (!keeper) throw new Error('The recipe takes no media')
    return keeper.fetchReserved(media, signal)
  }
}
