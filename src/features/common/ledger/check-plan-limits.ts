import type { Caps } from '../caps.ts'
import type { RateService } from '../../../kernel/http/route.ts'
import { DEFAULT_PAGE_LIMITS } from '../../../engine/extract/page/page-limits.ts'
import type { Rate } from '../../../ports/limiter.ts'
import type { PageLimits } from '../../../ports/page-processor.ts'

/** The limits of a plan that are no credits. */
export interface PlanLimits {
  readonly id: string
  readonly rates?: Readonly<Partial<Record<RateService, Rate | false>>>
  readonly previews?: {
    readonly perDay?: number
    readonly perScope?: number
    readonly urls?: number
  }
  readonly caps?: Partial<Caps>
  readonly page?: Partial<PageLimits>
  readonly retentionDays?: number | null
}

const isFrom = (least: number, value: number): boolean =>
  Number.isSafeInteger(value) && value >= least

/**
 * Holds the limits of a plan that are no credits against what they can be.
 *
 * @throws {TypeError} that names what is wrong
 */
export function checkPlanLimits({
  id,
  rates = {},
  previews = {},
  caps = {},
  page = {},
  retentionDays = null,
}: PlanLimits): void {
  const wrong = (name: string, rule: string): TypeError =>
    new TypeError(`billing.plans: ${name} of ${id} ${rule}`)
  for (const [service, rate] of Object.entries(rates)) {
    if (
      rate !== false &&
      !(isFrom(1, rate.limit) && isFrom(1, rate.periodMs) && isFrom(0, rate.burst))
    )
      throw wrong(
        `rates.${service}`,
        'needs a limit and a periodMs from 1 and a burst from 0, whole numbers',
      )
  }
  for (const [name, value] of Object.entries(previews)) {
    const least = name === 'urls' ? 1 : 0
    if (value !== Infinity && !isFrom(least, value))
      throw wrong(`previews.${name}`, `must be a whole number from ${least}, or Infinity`)
  }
  for (const [name, value] of Object.entries(caps)) {
    if (value !== null && !isFrom(0, value))
      throw wrong(`caps.${name}`, 'must be a whole number from 0, or null')
  }
  for (const name of ['steps', 'bytes'] as const) {
    const most = DEFAULT_PAGE_LIMITS[name]
    const value = page[name] ?? most
    if (!isFrom(1, value) || value > most)
      throw wrong(`page.${name}`, `must be a whole number from 1 to ${most}, which is the default`)
  }
  if (retentionDays !== null && !isFrom(1, retentionDays))
    throw wrong('retentionDays', 'must be a whole number of days from 1, or null')
}
