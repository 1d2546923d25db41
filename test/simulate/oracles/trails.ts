import { openOperatorRecords } from '../../../src/features/operator/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import type { Customer } from '../customer.ts'
import type { Operator } from '../operator.ts'
import type { World } from '../world.ts'

const ALL = 100_000

/** Each acknowledged task is in the log of its account, by the caller that made it. */
export async function checkAudit(world: World, { account, tasks }: Customer): Promise<void> {
  const entries = await createRecords(world.store).audits.list(account, { limit: ALL })
  const made = new Map<string, number>()
  for (const { value } of entries) {
    if (value.code !== null) continue
    if (value.user !== `user-of-${account}` && value.key === null)
      world.broke('the audit log names a caller who is not of the account')
    if (value.operation !== 'tasks.create' || value.subject === null) continue
    made.set(value.subject, (made.get(value.subject) ?? 0) + 1)
  }
  for (const { id } of tasks.values()) {
    if (!made.has(id)) world.broke('an acknowledged task is not in the audit log')
    if ((made.get(id) ?? 0) > 1) world.broke('one call is in the audit log twice')
  }
}

/** Each acknowledged adjustment is in the log of the operators' acts. */
export async function checkActs(world: World, { adjusted }: Operator): Promise<void> {
  const acts = await openOperatorRecords(world.store).acts.list(SYSTEM, { limit: ALL })
  for (const [account, { known, unknown }] of adjusted) {
    const entered = acts.filter(
      ({ value }) => value.operation === 'operator.adjust' && value.account === account,
    ).length
    if (entered < known.length) world.broke('an acknowledged adjustment is not in the log of acts')
    if (entered > known.length + unknown) world.broke('one adjustment is in the log of acts twice')
  }
}
