import { expect, it } from 'vitest'
import { LastRuns } from '../../src/console/app/task/last-runs.ts'
import type { RunSource } from '../../src/console/app/task/last-runs.ts'

// Proves what the list of tasks asks for: little at once, nothing twice, and the rest where one fails.

interface Run {
  readonly taskId: string
}

/** Answers, and notes what was asked. */
function sourceOf(requests: string[], failing = ''): RunSource<Run> {
  const answer = async <T>(call: string, value: T): Promise<T> => {
    requests.push(call)
    if (call === failing) throw new Error(call)
    return value
  }
  return {
    latest: () => answer('latest', { runs: [{ taskId: 'new' }], isAll: false }),
    lastOf: (taskId) => answer(`last ${taskId}`, { taskId }),
  }
}

it('only unknown runs are requested, and only for a few tasks at once', async () => {
  const runs = new LastRuns<Run>()
  const tasks = ['new', ...Array.from({ length: 15 }, (_, index) => `old${index}`)].map((id) => ({
    id,
  }))
  const calls: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const requests: string[] = []
    await runs.read(tasks, sourceOf(requests))
    calls.push(requests.length)
  }
  // The latest runs, then ten and five tasks; then nothing but what may be new.
  expect(calls).toEqual([1 + 10, 1 + 5, 1])
  expect(tasks.map((task) => runs.of(task)?.taskId)).toEqual(tasks.map(({ id }) => id))
})

it('one answer that fails does not lose the others, and is asked for again', async () => {
  const runs = new LastRuns<Run>()
  const tasks = [{ id: 'a' }, { id: 'b' }]
  await runs.read(tasks, sourceOf([], 'last a'))
  expect(tasks.map((task) => runs.of(task)?.taskId)).toEqual([undefined, 'b'])
  const requests: string[] = []
  await runs.read(tasks, sourceOf(requests))
  expect(requests).toEqual(['latest', 'last a'])
})

it('other tasks have not run if all runs are known', async () => {
  const runs = new LastRuns<Run>()
  await runs.read([{ id: 'a' }], {
    ...sourceOf([]),
    latest: async () => ({ runs: [], isAll: true }),
  })
  expect(runs.of({ id: 'a' })).toBeNull()
})
