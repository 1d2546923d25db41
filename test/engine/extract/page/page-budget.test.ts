import { expect, it } from 'vitest'
import { PageBudget, PageTooCostly } from '../../../../src/engine/extract/page/page-budget.ts'

it.for([
  { what: 'steps' as const, spend: (budget: PageBudget) => budget.work(11) },
  { what: 'bytes' as const, spend: (budget: PageBudget) => budget.make(11) },
])(
  'after its $what are used up, every further use throws, and the first is what ran over',
  ({ what, spend }) => {
    const budget = new PageBudget({ steps: 10, bytes: 10 })
    budget.work(5)
    budget.make(5)
    expect(budget.overrun).toBeNull()
    budget.where = 'title'
    expect(() => spend(budget)).toThrow(PageTooCostly)
    budget.where = 'links'
    expect(() => budget.work(1)).toThrow(PageTooCostly)
    expect(() => budget.make(1)).toThrow(PageTooCostly)
    expect(budget.overrun).toEqual({ what, limit: 10, where: 'title' })
  },
)
