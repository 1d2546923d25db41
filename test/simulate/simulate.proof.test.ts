import { expect, test } from 'vitest'
import { readBugs } from './bugs.ts'
import { FIRST_BRIEF_SEED } from './later/later.ts'
import { simulate } from './simulate.ts'

// Proves that a world is a function of its seed, that its promises hold for seeds that nobody has
// chosen, and that a seed which failed once still finds what it was kept for.
// SIMULATE_SEED: the first of the fresh seeds; by default it follows from the day. Those of brief
// worlds are as many after the first of these.
// SIMULATE_MINUTES: how long they are played, in real minutes: half of it the brief ones.

const FIRST = Number(process.env['SIMULATE_SEED'] ?? Math.floor(Date.now() / 86_400_000) * 10_000)
const MINUTES = process.env['SIMULATE_MINUTES'] ?? '0.75'
/** Worlds of one thread: with a warm thread there are twice as many in this time. */
const TOGETHER = '25'

/** Without the last line, which has the speed. */
const storyOf = (stdout: string): string => stdout.trimEnd().split('\n').slice(0, -1).join('\n')

test('a world is a function of its seed', async () => {
  const story = ['--seed', '3', '--storm', '12', '--story']
  const [first, second] = [await simulate(...story), await simulate(...story)]
  expect(storyOf(first)).toBe(storyOf(second))
  expect(storyOf(first)).toContain('POST /tasks 201')
})

test('worlds of one thread are a function of its first seed', async () => {
  const story = '--seed 100000000 --seeds 2 --together 2 --storm 12 --story'.split(' ')
  const [first, second] = [await simulate(...story), await simulate(...story)]
  expect(storyOf(first)).toBe(storyOf(second))
  expect(first).toMatch(/^2 worlds, /m)
})

test.for([
  ['long', FIRST],
  ['brief', FIRST_BRIEF_SEED + FIRST],
])('fresh seeds of %s worlds break no promise', async ([, seed]) => {
  const output = await simulate(
    '--seed',
    String(seed),
    '--minutes',
    String(Number(MINUTES) / 2),
    '--together',
    TOGETHER,
  )
  // Each run names its seeds, so that one that fails can be played again.
  console.log(output.trimEnd())
  expect(output).toMatch(/^[1-9]\d* worlds, .* 0 broke a promise$/m)
})

test.for(readBugs().filter(({ kept }) => kept !== undefined))(
  'the seed $seed holds, and still finds that $name',
  async ({ name, seed, force = '', storm = 60, promise }) => {
    const world = ['--seed', String(seed), '--storm', String(storm), '--force', force]
    expect(await simulate(...world)).toMatch(/^1 worlds, .* 0 broke a promise$/m)
    const output = await simulate(...world, '--bug', name)
    expect(output, 'It no longer finds what it was kept for: npm run simulate:bugs').toContain(
      promise,
    )
  },
)

test.for(readBugs().filter(({ oracle }) => oracle === 'model'))(
  'the model of leases and fences refuses a commit if $name',
  async ({ name, seed, promise }) => {
    const world = ['--seed', String(seed), '--storm', '12', '--bug', name]
    expect(await simulate(...world)).toContain(promise)
  },
)

test('commits of worlds are compared with the model of leases and fences', async () => {
  const output = await simulate('--seed', '1', '--seeds', '2', '--storm', '12', '--steps')
  expect(output).toMatch(/^compared: .*take [1-9].*settle [1-9].* 0 broke a promise$/ms)
})

test('a failing world is made smaller until only what it needs is left', async () => {
  const bug = 'visited entries stay in the frontier'
  const options = '--seed 1 --seeds 8 --storm 12 --bail --shrink'.split(' ')
  const output = await simulate('--plant', bug, ...options)
  const promise = /^first broken promise: (.+)$/m.exec(output)?.[1] ?? 'no promise'
  // The small world breaks the promise that the large one has broken first.
  expect(/^seed \d+: (.+)$/m.exec(output)?.[1]?.split('; ')[0]).toBe(promise)
  const again = /^again: (.*)$/m.exec(output)?.[1] ?? ''
  expect(again).toMatch(/--until \d+.* --without \w+,/)
  const replayed = await simulate('--plant', bug, ...again.split(' '))
  expect(replayed).toMatch(/^1 worlds, .* 1 broke/m)
  expect(replayed).toContain(promise)
})
