import { expect, it } from 'vitest'
import { CommitGroups } from '../../../adapters/postgres/commit-groups.ts'
import type { GroupParameters } from '../../../adapters/postgres/group-parameters.ts'
import type { GroupOutcome } from '../../../adapters/postgres/statements.ts'
import { encodeCommit } from '../../../src/kernel/store-encoding.ts'
import type { Commit } from '../../../src/ports/store.ts'

/** Calls of the database in their order, each answered by the test. */
function stage(most: number) {
  const calls: {
    parameters: GroupParameters
    answer: (outcome: GroupOutcome) => void
    fail: (error: Error) => void
  }[] = []
  const groups = new CommitGroups(
    {
      commit: (parameters) =>
        new Promise((answer, fail) => calls.push({ parameters, answer, fail })),
      sweep: async () => 0,
    },
    { now: () => 0 },
    most,
  )
  return {
    calls,
    commit: (change: Commit) => groups.add(encodeCommit(change)),
    /** Lets everything happen that follows from the last answer. */
    turn: () => new Promise(setImmediate),
    keys: () => calls.map(({ parameters }) => parameters[2].split(',').length),
  }
}

const add = (name: string, amount = 1): Commit => ({ add: [{ key: [name], amount }] })
const set = (name: string, version?: string | null): Commit => ({
  ...(version !== undefined && { check: [{ key: [name], version }] }),
  set: [{ key: [name], value: 1 }],
})
const failure = (code: string) => Object.assign(new Error(`failed with ${code}`), { code })

it('commits of one tick are sent together, with one amount for each counter; later ones come next', async () => {
  const { calls, commit, turn, keys } = stage(1)
  const first = [commit(add('n')), commit(add('n', 2)), commit(set('a'))]
  await turn()
  expect(keys()).toEqual([2])
  expect(calls[0]?.parameters[5]).toBe('{"3","1"}')
  const second = [commit(add('n')), commit(set('b'))]
  await turn()
  expect(calls).toHaveLength(1)
  calls[0]?.answer({ version: '1' })
  expect(await Promise.all(first)).toEqual([true, true, true])
  await turn()
  expect(keys()).toEqual([2, 2])
  calls[1]?.answer({ version: '2' })
  expect(await Promise.all(second)).toEqual([true, true])
})

it('calls that use the same key keep their order, and other calls are sent beside them', async () => {
  const { calls, commit, turn, keys } = stage(2)
  const [one, two, other] = [commit(set('a')), commit({ delete: [['a'], ['b']] }), commit(set('b'))]
  await turn()
  // `b` waits for the deletion, which waits for `a`.
  expect(keys()).toEqual([1])
  const beside = commit(set('c'))
  await turn()
  expect(keys()).toEqual([1, 1])
  calls[0]?.answer({ version: '1' })
  await one
  await turn()
  expect(keys()).toEqual([1, 1, 2])
  calls[1]?.answer({ version: '2' })
  calls[2]?.answer({ version: '3' })
  expect(await Promise.all([two, beside])).toEqual([true, true])
  await turn()
  calls[3]?.answer({ version: '4' })
  expect(await other).toBe(true)
})

it('when checks of some commits fail, the others are sent again; an impossible check is not sent', async () => {
  const { calls, commit, turn, keys } = stage(1)
  const all = [
    commit(set('a', '1')),
    commit(set('b', '2')),
    commit(set('c', null)),
    commit(set('d', 'stale')),
  ]
  await turn()
  expect(keys()).toEqual([3])
  calls[0]?.answer({ stale: [1] })
  await turn()
  expect(keys()).toEqual([3, 2])
  calls[1]?.answer({ version: '9' })
  expect(await Promise.all(all)).toEqual([true, false, true, false])
})

it('a commit whose key its own group changed fails at once; a commit that came later is sent', async () => {
  const { calls, commit, turn } = stage(1)
  const claims = [
    commit(set('a', null)),
    commit(set('a', null)),
    commit({ check: [{ key: ['a'], version: '4' }], delete: [['x']] }),
  ]
  await turn()
  // It may have read a version that another process has written after the group that is being sent.
  const later = commit(set('a', '8'))
  calls[0]?.answer({ version: '7' })
  expect(await Promise.all(claims)).toEqual([true, false, false])
  await turn()
  expect(calls).toHaveLength(2)
  calls[1]?.answer({ version: '9' })
  expect(await later).toBe(true)
})

it('one bad commit fails alone; a lost connection fails all commits of its group, but no later one', async () => {
  const { calls, commit, turn, keys } = stage(1)
  const mixed = Promise.allSettled([commit(set('a')), commit(add('text')), commit(set('b'))])
  await turn()
  calls[0]?.fail(failure('22P02'))
  for (const n of [1, 2, 3]) {
    await turn()
    if (n === 2) calls[n]?.fail(failure('22P02'))
    else calls[n]?.answer({ version: String(n) })
  }
  expect(
    (await mixed).map((result) =>
      result.status === 'fulfilled'
        ? result.value
        : result.reason instanceof TypeError && 'refused',
    ),
  ).toEqual([true, 'refused', true])
  expect(keys()).toEqual([3, 1, 1, 1])
  const lost = Promise.allSettled([commit(set('a')), commit(set('b'))])
  await turn()
  calls[4]?.fail(failure('CONNECTION_CLOSED'))
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const after = commit(set('a'))
  await turn()
  calls[5]?.answer({ version: '6' })
  expect(await after).toBe(true)
})
