import type { Principal } from '../../kernel/http/route.ts'
import { grants } from '../../kernel/scope.ts'
import type { WebAccess } from '../common/web-access.ts'
import type { Core } from '../core.ts'
import { capsOf } from '../ledger/plans.ts'
import type { Caps } from '../ledger/plans.ts'
import { recount } from '../limits/holdings.ts'
import type { HoldingKind } from '../limits/records.ts'
import { storedBytes } from '../limits/stored-bytes.ts'
import type { Me } from './answers.ts'

/** Facts about the caller's credential: account, user, key and scopes. */
export interface Myself {
  /** The caller's account, user, scopes, plan and limits, with what is left of each. */
  get(principal: Principal): Promise<Me>
}

/** A limit above the number of webhooks that an account can have. */
const ALL_WEBHOOKS = 1_000

/** The service of the caller's own facts. `payments`: the payment provider, if there is one. */
export function createMyself(
  { records, ledger, planOf, clock }: Core,
  { renderer, model, search }: WebAccess,
  payments: unknown,
): Myself {
  const countOf = async (account: string, kind: HoldingKind): Promise<number> =>
    (await records.holdings.get(account, kind))?.value.count ?? recount(records, account, kind)
  const spendableOf = async (account: string): Promise<number | null> => {
    const { credits, plan } = await ledger.balance(account, clock.now())
    const { overdraft = 0 } = plan
    return overdraft === null ? null : Math.max(0, credits.wallet + overdraft)
  }
  return {
    async get({ account, user, key = null, scopes }) {
      const plan = await planOf(account)
      const caps = capsOf(plan)
      const [keys, tasks, datasets, webhooks, bytes, spendable] = await Promise.all([
        countOf(account, 'keys'),
        countOf(account, 'tasks'),
        countOf(account, 'datasets'),
        records.webhooks.list(account, { limit: ALL_WEBHOOKS }),
        storedBytes(records, account),
        grants(scopes, 'billing:read') ? spendableOf(account) : undefined,
      ])
      const limitOf = (name: keyof Caps, used: number) => ({
        most: caps[name],
        used,
        left: caps[name] === null ? null : Math.max(0, caps[name] - used),
      })
      return {
        account,
        user,
        keyId: key,
        scopes: [...scopes],
        plan: { id: plan.id, name: plan.name },
        credits: spendable === undefined ? null : { spendable },
        abilities: {
          browser: renderer !== null,
          model: model !== null,
          search: search !== null,
          payments: payments !== undefined,
        },
        limits: {
          keys: limitOf('keys', keys),
          tasks: limitOf('tasks', tasks),
          datasets: limitOf('datasets', datasets),
          webhooks: limitOf('webhooks', webhooks.length),
          bytes: limitOf('bytes', bytes),
        },
      }
    },
  }
}
