import { expect, it } from 'vitest'
import {
  accountOf,
  CommitTurns,
  type WaitingCommit,
} from '../../../src/kernel/fair/commit-turns.ts'
import { encodeCommit } from '../../../src/kernel/store-encoding.ts'
import type { Commit } from '../../../src/ports/store.ts'

/** A commit that waits, with its name. */
interface Named extends WaitingCommit {
  readonly name: string
}

function named(name: string, change: Commit): Named {
  const commit = encodeCommit(change)
  return { name, commit, account: accountOf(commit) }
}

const writes = (account: string, ...keys: string[]): Named =>
  named(`${account} ${keys.join()}`, {
    set: keys.map((key) => ({ key: [account, key], value: 1 })),
  })

/** The names of the commits of each take of so many, until none waits. */
function takes(all: readonly Named[], most: number): string[][] {
  const turns = new CommitTurns()
  const groups: string[][] = []
  for (let waiting = all; waiting.length > 0;) {
    let left = most
    const group = turns.take(waiting, () => left-- > 0)
    groups.push([...group].map(({ name }) => name))
    waiting = waiting.filter((one) => !group.has(one))
  }
  return groups
}

it('the account of a commit is the first part of the first key that it uses', () => {
  const key = ['é\u0001', 'x']
  for (const change of [
    { check: [{ key, version: null }], set: [{ key: ['b'], value: 1 }] },
    { set: [{ key, value: 1 }], delete: [['b']] },
    { delete: [key] },
    { add: [{ key, amount: 1 }] },
  ])
    expect(accountOf(encodeCommit(change))).toBe('é\u0001')
  expect(accountOf(encodeCommit({}))).toBe('')
})

it('accounts take turns, from one take to the next, and each keeps the order of its commits', () => {
  const many = Array.from({ length: 6 }, (_, index) => writes('many', `${index}`))
  const all = [...many, writes('one', 'a'), writes('two', 'a'), writes('two', 'b')]
  expect(takes(all, 2)).toEqual([
    ['many 0', 'one a'],
    ['two a', 'many 1'],
    ['two b', 'many 2'],
    ['many 3', 'many 4'],
    ['many 5'],
  ])
})

it('a commit comes after the earlier ones that use one of its keys, whatever their account', () => {
  const shared = (account: string): Named =>
    named(account, { set: [{ key: [account], value: 1 }], add: [{ key: ['all'], amount: 1 }] })
  const all = [
    writes('many', 'a'),
    writes('many', 'b'),
    shared('many'),
    shared('one'),
    writes('one', 'c'),
  ]
  expect(takes(all, 2)).toEqual([['many a', 'many b'], ['many'], ['one', 'one c']])
})

it('a commit that does not fit is the first of the next take', () => {
  const turns = new CommitTurns()
  const large = named('large', {
    set: Array.from({ length: 9 }, (_, index) => ({ key: ['large', index], value: 1 })),
  })
  const all = [writes('many', 'a'), large, writes('many', 'b'), writes('many', 'c')]
  let left = 3
  const group = turns.take(all, ({ sets }) => (left -= sets.length) >= 0)
  expect([...group].map(({ name }) => name)).toEqual(['many a'])
  const rest = all.filter((one) => !group.has(one))
  expect([...turns.take(rest, () => true)].map(({ name }) => name)).toEqual([
    'large',
    'many b',
    'many c',
  ])
})

it('the order of a key is kept when many other keys have been forgotten', () => {
  const turns = new CommitTurns()
  const first = writes('many', 'a')
  const behind = named('one', { set: [{ key: ['one'], value: 1 }], delete: [['many', 'a']] })
  let waiting: Named[] = [first, writes('many', 'b')]
  const last = (): Named[] => [...turns.take(waiting, ({ deletes }) => deletes.length > 0)]
  expect(last()).toEqual([])
  for (let index = 0; index < 3; index++) {
    const large = Array.from({ length: 6_000 }, (_, key) => ({
      key: ['two', index, key],
      value: 1,
    }))
    waiting = [first, named('two', { set: large })]
    expect(last()).toEqual([])
  }
  waiting = [first, behind]
  expect(last()).toEqual([])
  waiting = [behind]
  expect(last()).toEqual([behind])
})
