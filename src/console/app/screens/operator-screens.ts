import { OperatorAccount } from './operator-account.tsx'
import { Operator } from './operator.tsx'

/** The screens of operators, as one file that nobody else loads. */
export const operatorScreens = {
  operator: Operator,
  'operator-account': OperatorAccount,
}
