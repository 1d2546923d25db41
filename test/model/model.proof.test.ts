import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ENDS, explore } from './explore.ts'
import type { Exploration, Model } from './explore.ts'
import { leaseModel } from './lease-model.ts'
import { LEASE_RULES } from './lease-state.ts'
import type { Budget, LeaseRules } from './lease-state.ts'
import { sharedModel } from './shared-model.ts'
import { SHARED_RULES } from './shared-state.ts'
import type { SharedBudget, SharedRules } from './shared-state.ts'

// Visits all states of a model of lease, fence and shared crawl, within the bounds that each test
// names. MODEL=whole: the larger bounds too, which take some minutes.

const MOST_STATES = 3_000_000
const TIMEOUT = 600_000
const NONE: Budget = { crashes: 0, stalls: 0, losses: 0, conflicts: 0, calls: 0 }

interface LeaseBounds extends Partial<Budget> {
  readonly workers?: number
  readonly pages?: readonly number[]
  readonly jobs?: number
}

interface SharedBounds extends Partial<SharedBudget> {
  readonly members?: number
  readonly pages?: readonly number[]
}

/** Page 0 leads to page 2, so there are two pages, or three with page 1. */
function leases(bounds: LeaseBounds, rules: Partial<LeaseRules> = {}): Exploration {
  const { workers = 2, pages = [0], jobs = 1, ...budget } = bounds
  return exploreAll(
    leaseModel({
      workers,
      pages,
      jobs,
      budget: { ...NONE, ...budget },
      rules: { ...LEASE_RULES, ...rules },
    }),
    bounds,
  )
}

function shared(bounds: SharedBounds, rules: Partial<SharedRules> = {}): Exploration {
  const { members = 1, pages = [0, 1], ...budget } = bounds
  return exploreAll(
    sharedModel({
      coordinators: 2,
      members,
      pages,
      budget: { crashes: 0, stalls: 0, losses: 0, joins: members, ...budget },
      rules: { ...SHARED_RULES, ...rules },
    }),
    bounds,
  )
}

function exploreAll<S>(model: Model<S>, bounds: object): Exploration {
  const result = explore(model, MOST_STATES)
  if (result.broken === null)
    console.log(`${JSON.stringify(bounds)}: ${result.states} states, ${result.steps} steps`)
  return result
}

const isWhole = process.env['MODEL'] === 'whole'

/** The page that tells the bounds has the sizes too. Its tables without blanks. */
const TABLES = readFileSync(
  new URL('../../docs/reliability.md', import.meta.url),
  'utf8',
).replaceAll(' ', '')

/** A number as the page has it, in a cell. */
function cellOf(number: number): string {
  return `|${number.toLocaleString('en-US')}`
}

describe('all promises hold, and an end can be reached from each state', () => {
  test.for<LeaseBounds>([
    { pages: [0, 1], losses: 2 },
    { crashes: 1, stalls: 1 },
    { jobs: 2, conflicts: 1, crashes: 1 },
    { calls: 2 },
    { workers: 3, jobs: 2, crashes: 1 },
  ])('leases: %j', { timeout: TIMEOUT }, (bounds) => {
    const { broken, states, steps } = leases(bounds)
    expect(broken).toBeNull()
    expect(TABLES).toContain(`${cellOf(states)}${cellOf(steps)}`)
  })

  test.for<SharedBounds>([
    { losses: 1, crashes: 1 },
    { stalls: 1, crashes: 1 },
    { members: 2, pages: [0], losses: 1, stalls: 1 },
  ])('shared crawls: %j', { timeout: TIMEOUT }, (bounds) => {
    const { broken, states, steps } = shared(bounds)
    expect(broken).toBeNull()
    expect(TABLES).toContain(`${cellOf(states)}${cellOf(steps)}`)
  })

  test.for<LeaseBounds>(
    isWhole
      ? [
          { stalls: 1, losses: 1 },
          { crashes: 1, losses: 1, conflicts: 1 },
          { calls: 1, crashes: 1, losses: 1 },
          { crashes: 2, losses: 2, pages: [0, 1] },
        ]
      : [],
  )('leases, larger: %j', { timeout: TIMEOUT }, (bounds) => {
    expect(leases(bounds).broken).toBeNull()
  })

  test.for<SharedBounds>(
    isWhole
      ? [
          { losses: 1, stalls: 1, crashes: 1 },
          { pages: [0], losses: 2, stalls: 2, crashes: 2, joins: 2 },
        ]
      : [],
  )('shared crawls, larger: %j', { timeout: TIMEOUT }, (bounds) => {
    expect(shared(bounds).broken).toBeNull()
  })
})

describe('the model fails without', () => {
  test.for<[string, LeaseBounds, Partial<LeaseRules>, string]>([
    [
      'the check of the fence',
      { calls: 1 },
      { fence: false },
      'a finished execution gets no outcomes',
    ],
    [
      'the renewal of leases',
      { jobs: 2 },
      { renews: false },
      'processes that do not stall ask a site one at a time',
    ],
    [
      'a second try of a heartbeat that was refused',
      { jobs: 2, pages: [0, 1], conflicts: 1 },
      { reminds: false },
      'processes that do not stall ask a site one at a time',
    ],
    ['the check of the counters', { losses: 1 }, { count: false }, 'a page has one outcome'],
    [
      'the check of the execution',
      { calls: 1 },
      { move: false },
      'an execution moves as its states allow',
    ],
    [
      'a look at the outcome of a commit',
      { losses: 1 },
      { compares: false },
      'only waiting pages get an outcome',
    ],
    [
      'the job of a worker that was overtaken',
      { crashes: 1, stalls: 1 },
      { keepsJob: false },
      'no job is lost',
    ],
  ])('%s', { timeout: TIMEOUT }, ([, bounds, rules, promise]) => {
    const { broken } = leases(bounds, rules)
    expect(broken?.promise).toBe(promise)
    expect(broken?.path.length).toBeGreaterThan(0)
  })

  test.for<[string, SharedBounds, Partial<SharedRules>, string]>([
    ['the count of the reports that were made', { losses: 1 }, { counts: false }, ENDS],
    [
      'the check of the fence',
      { pages: [0], stalls: 1, losses: 1 },
      { fence: false },
      'an execution moves as its states allow',
    ],
    [
      'the check of the counters',
      { pages: [0], losses: 1 },
      { count: false },
      'a page has one outcome',
    ],
    [
      'the check of memberships',
      { pages: [0], stalls: 1 },
      { turn: false },
      'reports belong to members',
    ],
  ])('%s', { timeout: TIMEOUT }, ([, bounds, rules, promise]) => {
    expect(shared(bounds, rules).broken?.promise).toBe(promise)
  })
})
