import { OperatorAccount } from './operator-account.tsx'
import { Operator } from './operator.tsx'

/** The screens of operators, in a separate file, because other readers do not need them. */
export const operatorScreens = {
  operator: Operator,
  'operator-account': OperatorAccount,
}
