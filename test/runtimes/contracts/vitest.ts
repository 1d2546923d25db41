import {
  ChaiStyleAssertions,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from '@vitest/expect'
import * as chai from 'chai'
import type { Outcome } from '../cases/stage.ts'

// The functions of vitest that contract suites use, for runtimes on which vitest does not run. This
// file is bundled in its place. The matchers are those of vitest.

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)
chai.use(ChaiStyleAssertions)

type Step = () => unknown

interface Suite {
  readonly name: string
  readonly outer: Suite | null
  readonly before: Step[]
  readonly after: Step[]
}

const tests: { readonly name: string; readonly suite: Suite; readonly run: Step }[] = []
let current: Suite = { name: '', outer: null, before: [], after: [] }

export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  {
    fail(message = 'It was not to come this far'): never {
      throw new Error(message)
    },
  },
)

export function describe(name: string, define: () => void): void {
  const outer = current
  current = { name: `${outer.name}${outer.name && ' › '}${name}`, outer, before: [], after: [] }
  define()
  current = outer
}

export function it(name: string, run: Step): void {
  tests.push({ name: `${current.name} › ${name}`, suite: current, run })
}

export const beforeEach = (step: Step): void => void current.before.push(step)
/** In vitest once for each suite; the suites that use them do not run here. */
export const beforeAll = unused('beforeAll')
export const afterAll = unused('afterAll')
export const afterEach = (step: Step): void => void current.after.push(step)

/** Runs all registered tests one after the other, and clears the list. */
export async function runDescribed(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, suite, run } of tests.splice(0)) {
    const began = performance.now()
    let error: string | null = null
    try {
      for (const step of stepsOf(suite, 'before')) await step()
      await run()
      for (const step of stepsOf(suite, 'after')) await step()
    } catch (thrown) {
      error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    }
    outcomes.push({ name, error, ms: performance.now() - began, same: {} })
  }
  return outcomes
}

function stepsOf(suite: Suite, kind: 'before' | 'after'): Step[] {
  const own = suite[kind]
  const outer = suite.outer ? stepsOf(suite.outer, kind) : []
  return kind === 'before' ? [...outer, ...own] : [...own, ...outer]
}

function unused(name: string) {
  return (): never => {
    throw new Error(`${name} is not to be had on this runtime`)
  }
}
