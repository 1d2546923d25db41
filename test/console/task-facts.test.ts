import { expect, it } from 'vitest'
import { KnownFacts } from '../../src/console/app/task/facts.ts'
import type { FactSource } from '../../src/console/app/task/facts.ts'

// Proves what the list of tasks asks for: little at once, nothing twice, and the rest where one fails.

const schedule = { cron: '0 6 * * *', timeZone: 'UTC', missed: 'skip', overlap: false } as const
const NEXT = '2030-02-01T06:00:00.000Z'

const taskOf = (id: string) =>
  ({ id, status: 'active', schedule, updatedAt: '2030-01-01T00:00:00.000Z' }) as const

interface Run {
  readonly taskId: string
}

/** Answers, and notes what was asked. */
function sourceOf(requests: string[], failing = ''): FactSource<Run> {
  const answer = async <T>(call: string, value: T): Promise<T> => {
    requests.push(call)
    if (call === failing) throw new Error(call)
    return value
  }
  return {
    latest: () => answer('latest', { runs: [{ taskId: 'new' }], isAll: false }),
    lastOf: (taskId) => answer(`last ${taskId}`, { taskId }),
    nextOf: (taskId) => answer(`next ${taskId}`, NEXT),
    now: () => Date.parse('2030-02-01T00:00:00.000Z'),
  }
}

it('only what is not known is asked for, and only for a few tasks at once', async () => {
  const facts = new KnownFacts<Run>()
  const tasks = ['new', ...Array.from({ length: 15 }, (_, index) => `old${index}`)].map(taskOf)
  const calls: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const requests: string[] = []
    await facts.read(tasks, sourceOf(requests))
    calls.push(requests.length)
  }
  // The latest runs, then ten and five tasks of each kind; then nothing but what may be new.
  expect(calls).toEqual([1 + 10 + 10, 1 + 5 + 6, 1])
  expect(tasks.map((task) => facts.of(task).next)).toEqual(tasks.map(() => NEXT))
})

it('one answer that fails does not lose the others, and is asked for again', async () => {
  const facts = new KnownFacts<Run>()
  const tasks = [taskOf('a'), taskOf('b'), { ...taskOf('c'), schedule: null }]
  await facts.read(tasks, sourceOf([], 'next a'))
  // Not known is not the same as never.
  expect(tasks.map((task) => facts.of(task).next)).toEqual([undefined, NEXT, null])
  expect(tasks.map((task) => facts.of(task).last?.taskId)).toEqual(['a', 'b', 'c'])
  const requests: string[] = []
  await facts.read(tasks, sourceOf(requests))
  expect(requests).toEqual(['latest', 'next a'])
})

it('a time that is over, and that of a task saved since, are asked for again', async () => {
  const facts = new KnownFacts<Run>()
  const tasks = [taskOf('a'), taskOf('b')]
  await facts.read(tasks, sourceOf([]))
  const requests: string[] = []
  const saved = { ...taskOf('b'), updatedAt: '2030-01-31T00:00:00.000Z' }
  await facts.read([taskOf('a'), saved], sourceOf(requests))
  expect(requests).toEqual(['latest', 'next b'])
  await facts.read(tasks.slice(0, 1), { ...sourceOf(requests), now: () => Date.parse(NEXT) })
  expect(requests.slice(2)).toEqual(['latest', 'next a'])
})
