import type { Principal } from '../../src/kernel/http/route.ts'

/** Who the command acts as: everything of the account `default`. */
export const OWNER: Principal = { account: 'default', user: 'command', scopes: ['*'] }
