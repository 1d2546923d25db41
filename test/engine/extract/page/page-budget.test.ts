import { expect, it } from 'vitest'
import { PageBudget, PageTooCostly } from '../../../../src/engine/extract/page/page-budget.ts'

it.for([
  { what: 'steps' as const, spend: (budget: PageBudget) => budget.work(11) },
  { what: 'bytes' as const, spend: (budget: PageBudget) => budget.make(11) },
])(
  'after the $what are used up every further use throws, and the first such use is named as the overrun',
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

it('a budget is reduced by each use, and by the use of earlier questions of the visit', () => {
  for (const [earlier, left] of [
    [{ steps: 0, bytes: 0 }, 10],
    [{ steps: 7, bytes: 7 }, 3],
  ] as const) {
    for (const spend of ['work', 'make'] as const) {
      const budget = new PageBudget({ steps: 10, bytes: 10 }, earlier)
      for (let spent = 0; spent < left; spent++) budget[spend](1)
      expect(budget.overrun).toBeNull()
      expect(() => budget[spend](1)).toThrow(PageTooCostly)
    }
  }
})

it('a budget tells the next question how much it and earlier questions have used', () => {
  const budget = new PageBudget({ steps: 10, bytes: 10 }, { steps: 2, bytes: 3 })
  budget.work(4)
  budget.make(5)
  expect(budget.spent).toEqual({ steps: 6, bytes: 8 })
})
