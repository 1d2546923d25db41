import { expect, test } from 'vitest'
import { endOf, warningsOf } from '../../../adapters/command/extract-outcome.ts'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'

const COUNTERS = {
  discovered: 1,
  pending: 0,
  visited: 1,
  fetched: 1,
  unchanged: 0,
  duplicate: 0,
  skipped_robots: 0,
  skipped_scope: 0,
  skipped_depth: 0,
  skipped_limit: 0,
  blocked: 0,
  failed: 0,
  rows: 8,
  bytes: 900,
}

async function requestOf(...args: string[]) {
  const request = await parseExtract(args)
  if (request === null) throw new Error('The arguments are wrong')
  return request
}

/** The words about a run that succeeded. */
async function warnings(args: readonly string[], counters: Partial<typeof COUNTERS> = {}) {
  const outcome = { status: 'succeeded', reason: null, filled: { title: 8 } } as const
  return warningsOf(
    { ...outcome, counters: { ...COUNTERS, ...counters } },
    await requestOf(...args),
  )
}

/** The words about a run that failed. */
async function failure(
  code: 'nothing_extracted' | 'no_page_fetched' | 'nothing_matched',
  args: readonly string[],
  counters: Partial<typeof COUNTERS> = {},
) {
  const reason = { code, message: 'The words of the API.' }
  return endOf(
    { status: 'failed', reason, filled: {}, counters: { ...COUNTERS, rows: 0, ...counters } },
    await requestOf(...args),
  )
}

const LIST = 'https://shop.example.com/list'
const FIELD = ['--field', 't=h1']

test('--next that matches nothing is named', async () => {
  expect(await warnings([LIST, '--next', 'a.more'])).toEqual([
    '--next "a.more" led to no other page: does it match a link of the page?',
  ])
  expect(await warnings([LIST, '--next', 'a.more'], { discovered: 2 })).toEqual([])
})

test.for([
  { args: ['--pages', '10'] },
  { args: ['--pages', '10', '--items', 'li', ...FIELD] },
  { args: ['--pages', '2', '--cookie', 'a=b'] },
])('$args without a link to the next page says so', async ({ args }) => {
  expect(await warnings([LIST, ...args])).toEqual([
    `--pages ${args[1]} led to no other page, as no link to the next page was found or named. ` +
      'Name it with --next.',
  ])
  expect(await warnings([LIST, ...args], { discovered: 2 })).toEqual([])
})

test.for([
  [LIST],
  [LIST, '--pages', '1'],
  [LIST, '--pages', '9', '--depth', '1'],
  [LIST, '--pages', '9', '--scope', 'host'],
  [LIST, '--pages', '9', '--follow', 'a', ...FIELD],
  ['https://shop.example.com/{1..9}', '--pages', '3'],
])('%j asks for no next page that is missing', async (args) => {
  expect(await warnings(args)).toEqual([])
})

test.for([
  [1, '1 page'],
  [7, '7 pages'],
] as const)('%d pages above a limit are counted', async ([left, words]) => {
  expect(await warnings([LIST], { skipped_limit: left })).toEqual([
    `A limit was reached, with ${words} left. See --pages.`,
  ])
})

test('addresses that were left out are not pages that something led to', async () => {
  const request = await requestOf(LIST, `${LIST}/2`, '--next', 'a')
  const outcome = { status: 'succeeded', reason: null, filled: {} } as const
  const counters = { ...COUNTERS, discovered: 2 }
  expect(warningsOf({ ...outcome, counters }, request)).toHaveLength(1)
  expect(warningsOf({ ...outcome, counters }, request, [`${LIST}/2`])).toEqual([])
})

test('--follow that led to no page is named, with what kept it from them', async () => {
  const args = [LIST, '--follow', '.a', '--follow', '.b', ...FIELD]
  const led = '--follow ".a" --follow ".b"'
  expect(await failure('nothing_extracted', args)).toBe(
    `${led} led to no page: does it match a link of the page?`,
  )
  expect(await failure('nothing_extracted', args, { discovered: 9, skipped_robots: 8 })).toBe(
    `${led}: robots.txt forbids 8 pages that links lead to; --ignore-robots visits what it forbids`,
  )
  const counters = { discovered: 9, skipped_robots: 1, failed: 7 }
  expect(await failure('nothing_extracted', args, counters)).toBe(
    `${led}: no page that it leads to could be fetched`,
  )
})

test.for([
  [{ skipped_scope: 8 }, '8 pages', 'by --scope: host, domain or any leads further'],
  [{ skipped_depth: 1 }, '1 page', 'by --depth'],
  [{ skipped_limit: 8 }, '8 pages', 'by --pages'],
] as const)(
  'a flag that kept --follow from all pages is named: %j',
  async ([left, pages, words]) => {
    const args = [LIST, '--follow', '.a', ...FIELD]
    expect(await failure('nothing_extracted', args, { discovered: 9, ...left })).toBe(
      `--follow ".a": links lead to ${pages}, left out ${words}`,
    )
    expect(await failure('nothing_extracted', args, { discovered: 9, ...left, failed: 1 })).toBe(
      '--follow ".a": no page that it leads to could be fetched',
    )
  },
)

test('a first page that could not be fetched is not a page that --follow led to', async () => {
  const args = [LIST, `${LIST}/dead`, '--follow', '.a', ...FIELD]
  const words = '--follow ".a" led to no page: does it match a link of the page?'
  expect(await failure('nothing_extracted', args, { discovered: 2, failed: 1 })).toBe(words)
  expect(await failure('nothing_extracted', args, { discovered: 2, skipped_robots: 1 })).toBe(words)
  const led = { discovered: 3, skipped_robots: 2 }
  expect(await failure('nothing_extracted', args, led)).toMatch(/forbids 1 page that/)
  const braces = ['https://shop.example.com/{1..9}', '--follow', '.a', ...FIELD]
  expect(await failure('nothing_extracted', braces, { discovered: 9, failed: 1 })).toBe(
    'The execution failed: The words of the API.',
  )
})

test('equal addresses are one first page', async () => {
  const twice = [LIST, `${LIST}#top`, LIST]
  expect(await warnings([...twice, '--pages', '10'], { discovered: 2 })).toEqual([])
  expect(await warnings([...twice, '--pages', '10'])).toHaveLength(1)
})

test('a page that robots.txt forbids is not a page without a reason', async () => {
  const counters = { skipped_robots: 1, fetched: 0, visited: 0 }
  const words = 'No page could be fetched: robots.txt forbids 1 page'
  expect(await failure('no_page_fetched', [LIST], counters)).toBe(
    `${words}; --ignore-robots visits what it forbids`,
  )
  // Its recipe is saved, and takes no flag.
  expect(await failure('no_page_fetched', ['--resume', 'exec_1'], counters)).toBe(words)
})

test('any other end has the words of the API', async () => {
  const words = 'The execution failed: The words of the API.'
  expect(await failure('nothing_matched', [LIST, '--follow', 'a', ...FIELD])).toBe(words)
  expect(await failure('nothing_extracted', ['--resume', 'exec_1'])).toBe(words)
  expect(await failure('no_page_fetched', [LIST], { failed: 1, skipped_robots: 1 })).toBe(words)
  const outcome = { reason: null, filled: {}, counters: COUNTERS } as const
  const request = await requestOf(LIST)
  expect(endOf({ ...outcome, status: 'timed_out' }, request)).toBe('The execution ran out of time')
  expect(endOf({ ...outcome, status: 'cancelled' }, request)).toBe('The execution is cancelled')
})
