import { expect, test } from 'vitest'
import { PageBudget, PageTooCostly } from '../../src/engine/extract/page/page-budget.ts'
import { DEFAULT_PAGE_LIMITS } from '../../src/engine/extract/page/page-limits.ts'
import { PAGES, type Family } from './families.ts'
import { IS_SHORT, timeOf, type Subject } from './measure.ts'
import { BOUNDED_SUBJECTS, PAGE_SUBJECTS } from './subjects.ts'

// Proves that the allowance of a page bounds the CPU of readers that grow faster than their page:
// a step, or a byte, costs no more CPU in these readers than in others.

const SIZE = IS_SHORT ? 128 * 1024 : 8 * 1024 * 1024
/** The short form of the test has a part of the allowance: the cost of a unit is the same. */
const LIMITS = IS_SHORT ? { steps: 5_000_000, bytes: 5_000_000 } : DEFAULT_PAGE_LIMITS
const budgetOf = (): PageBudget => new PageBudget(LIMITS)
/** How much more a unit may cost than the costliest unit of the tree, as units differ in their work. */
const MOST = 8
/** Runs of each family at most: other work makes a run longer, never shorter. */
const RUNS = 2

/**
 * CPU of a unit of the allowance, and of a byte of the page, in ns: the least of `RUNS`, which end
 * at the first that takes `enough` or less.
 */
async function unitTime({ prepare }: Subject, family: Family, enough = 0): Promise<number> {
  let budget = budgetOf()
  const run = prepare(family.make(SIZE), () => (budget = budgetOf()))
  let least = Infinity
  for (let runs = 0; runs < RUNS && least > enough; runs++) {
    const ms = await timeOf(async () => {
      try {
        await run()
      } catch (error) {
        if (!(error instanceof PageTooCostly)) throw error
      }
    })
    const { steps, bytes } = budget.spent
    least = Math.min(least, (ms * 1_000_000) / (SIZE + steps + bytes))
  }
  return least
}

async function mostOfTree(): Promise<number> {
  const tree = PAGE_SUBJECTS.find(({ name }) => name === 'the tree of HTML')
  if (tree === undefined) throw new Error('There is no subject of the tree')
  let most = 0
  for (const family of PAGES) most = Math.max(most, await unitTime(tree, family))
  return most
}

const limit = MOST * (await mostOfTree())

async function tooDear(subject: Subject): Promise<string[]> {
  const names: string[] = []
  for (const family of subject.families) {
    const time = await unitTime(subject, family, limit)
    if (time > limit) names.push(`${family.name}: ${time.toFixed()} ns of ${limit.toFixed()}`)
  }
  return names
}

test.each(BOUNDED_SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'the allowance of a page bounds the CPU of %s',
  async (_, subject) => {
    expect((await tooDear(subject)).join('\n')).toBe('')
  },
)

test('planted: the measure notices work that is not counted', async () => {
  const planted: Subject = {
    name: 'a loop in a loop',
    families: PAGES.slice(0, 1),
    prepare: (text, budget = budgetOf) => {
      return () => {
        budget().work(text.length)
        let count = 0
        for (let index = 0; index < text.length; index++)
          for (let other = 0; other < 5_000; other++)
            if (text.charCodeAt(other) === text.charCodeAt(index)) count++
        return count
      }
    },
  }
  expect(await tooDear(planted)).toHaveLength(1)
})
