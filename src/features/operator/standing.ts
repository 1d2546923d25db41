import type { AccountStatus } from '../../ports/authenticator.ts'
import { SYSTEM } from '../../records/collection.ts'
import { standingOf } from '../common/account-status.ts'
import type { Standing } from '../common/account-status.ts'
import type { OperatorRecords } from './records.ts'

/** The stricter is greater. */
const STRICTNESS: Readonly<Record<Standing, number>> = { active: 0, suspended: 1, closed: 2 }

/**
 * Combines the states that the host and the operator have set for an account: the stricter one
 * holds. They are read each time, so that a suspension takes effect at once in every process. The
 * host is not asked about an account that the operator has closed.
 */
export function joinStanding(
  { states }: Pick<OperatorRecords, 'states'>,
  host: AccountStatus | null,
): AccountStatus {
  return async (account) => {
    const operatorStanding = (await states.get(SYSTEM, account))?.value.state ?? 'active'
    if (operatorStanding === 'closed' || host === null) return operatorStanding
    const hostStanding = await standingOf(host, account)
    return STRICTNESS[hostStanding] > STRICTNESS[operatorStanding] ? hostStanding : operatorStanding
  }
}
