import { withDefaults } from '../../kernel/options.ts'
import type { PlanDefinition } from '../ledger/plans.ts'

/** Limits on a user's previews a UTC day. `Infinity`: no limit. */
export interface PreviewQuotas {
  /** All previews. */
  readonly perDay: number
  /** Previews of one task, of one template, or of unsaved recipes. */
  readonly perScope: number
  /** URLs that one preview visits. */
  readonly urls: number
}

/** An application's limits on a user's previews a UTC day. `false` or `Infinity`: no limit. */
export interface PreviewLimits {
  /** All previews. Default 100. */
  readonly perDay?: number | false
  /** Previews of one task, of one template, or of unsaved recipes. Default 20. */
  readonly perScope?: number | false
  /** URLs that one preview visits. Default 5. Without a limit a preview still ends after 20 seconds. */
  readonly urls?: number | false
}

const DEFAULTS: PreviewQuotas = { perDay: 100, perScope: 20, urls: 5 }

/**
 * Converts an application's option to quotas. `false` lifts the daily limits; a preview stays
 * short.
 *
 * @throws {RangeError} for a value that is not a number of previews
 */
export function quotasFrom(limits: PreviewLimits | false = {}): PreviewQuotas {
  if (limits === false) return { perDay: Infinity, perScope: Infinity, urls: DEFAULTS.urls }
  const read = (name: keyof PreviewQuotas, least: number): number => {
    const option = limits[name] ?? DEFAULTS[name]
    const limit = option === false ? Infinity : option
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= least))
      throw new RangeError(
        `previews.${name} must be a whole number from ${least}, Infinity or false`,
      )
    return limit
  }
  return { perDay: read('perDay', 0), perScope: read('perScope', 0), urls: read('urls', 1) }
}

/** The quotas of an account: those of its plan, else the platform's. */
export function quotasOfPlan(
  { previews = {} }: Pick<PlanDefinition, 'previews'>,
  platform: PreviewQuotas,
): PreviewQuotas {
  return withDefaults(platform, previews)
}
