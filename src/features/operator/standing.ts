import type { AccountStatus } from '../../ports/authenticator.ts'
import { SYSTEM } from '../../records/collection.ts'
import { standingOf } from '../common/account-status.ts'
import type { Standing } from '../common/account-status.ts'
import type { OperatorRecords } from './records.ts'

/** The stricter is greater. */
const STRICTNESS: Readonly<Record<Standing, number>> = { active: 0, suspended: 1, closed: 2 }

/**
 * Joins what the host and the operator say of an account: the stricter word holds. It is read anew
 * each time, so that a suspension holds at once in every process. The host is not asked about an
 * account that the operator has closed.
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
