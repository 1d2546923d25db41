import type { PlanDefinition } from '../common/ledger/plans.ts'
import type { PreviewQuotas } from './quotas.ts'

/** Previews of one user on one UTC day, as a host sets them; `false` or `Infinity`: any number. */
export interface PreviewLimits {
  /** In all. Default 100. */
  readonly perDay?: number | false
  /** Of one task, one template, or of recipes that are not saved. Default 20. */
  readonly perScope?: number | false
  /** URLs that one preview visits. Default 5; without a bound a preview still ends after 20 seconds. */
  readonly urls?: number | false
}

const DEFAULTS: PreviewQuotas = { perDay: 100, perScope: 20, urls: 5 }

/**
 * The quotas that a host's option stands for. `false` lifts those of the day; a preview stays
 * short.
 *
 * @throws {RangeError} for what is no number of previews
 */
export function quotasFrom(limits: PreviewLimits | false = {}): PreviewQuotas {
  if (limits === false) return { perDay: Infinity, perScope: Infinity, urls: DEFAULTS.urls }
  const read = (name: keyof PreviewQuotas, least: number): number => {
    const given = limits[name] ?? DEFAULTS[name]
    const limit = given === false ? Infinity : given
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= least))
      throw new RangeError(
        `previews.${name} must be a whole number from ${least}, Infinity or false`,
      )
    return limit
  }
  return { perDay: read('perDay', 0), perScope: read('perScope', 0), urls: read('urls', 1) }
}

/** The quotas of an account: those that its plan names, else the platform's. */
export function quotasOfPlan(
  { previews = {} }: Pick<PlanDefinition, 'previews'>,
  platform: PreviewQuotas,
): PreviewQuotas {
  return { ...platform, ...previews }
}
