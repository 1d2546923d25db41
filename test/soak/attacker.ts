import type { Accounts } from './accounts.ts'
import { Attack, type Outcome } from './attack.ts'
import { CASES } from './cases.ts'

// The attacker, as a separate process. It gets orders by messages, one after the other, and answers
// each message.

/** The server that is attacked. */
export interface Target {
  readonly url: string
  /** The port of the hostile site. */
  readonly origin: string
  readonly accounts: Accounts
}

/**
 * `case`: run it once. Otherwise: wait until all that was started has ended, and tell what became
 * of it.
 */
export type Order =
  | { readonly target: Target; readonly case: string }
  | { readonly settleMs: number }

/** The answer to an order. */
export interface Report {
  readonly outcomes: readonly Outcome[]
  /** Whether a call got no answer, so that further calls are useless. */
  readonly isStuck: boolean
}

let attack: Attack | null = null

async function follow(order: Order): Promise<Report> {
  if ('case' in order) {
    attack ??= new Attack(order.target)
    const chosen = CASES.find(({ id }) => id === order.case)
    if (!chosen) throw new Error(`There is no case ${order.case}`)
    await chosen.run(attack)
    return { outcomes: [], isStuck: attack.isStuck }
  }
  await attack?.settle(order.settleMs)
  const report = { outcomes: attack?.outcomes ?? [], isStuck: attack?.isStuck ?? false }
  attack = null
  return report
}

function isOrder(value: unknown): value is Order {
  return typeof value === 'object' && value !== null && ('case' in value || 'settleMs' in value)
}

process.on('message', (order) => {
  if (!isOrder(order)) throw new TypeError('A message names a case or the time to settle')
  void follow(order).then((report) => process.send?.(report))
})
process.on('disconnect', () => process.exit())
