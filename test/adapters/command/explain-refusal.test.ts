import { expect, test } from 'vitest'
import { explainRefusal } from '../../../adapters/command/explain-refusal.ts'
import { PlatformError, badRequest } from '../../../src/kernel/errors.ts'

const flagOf = new Map([
  ['start.urls', 'the addresses'],
  ['start.urls.0', 'http://a.test/'],
  ['follow.1', '--next'],
  ['extract.fields.a', '--field a'],
  ['extract.fields.a.b', '--field a.b'],
])
const explain = (error: unknown, allowPrivateNetwork = false, isOfServer = false) =>
  String(explainRefusal(error, { flagOf, allowPrivateNetwork, isOfServer }))

test('an issue in a recipe is reported with the nearest flag that set its place', () => {
  const issues = [
    { path: 'recipe.follow.1.next', message: 'is no selector' },
    { path: 'recipe.extract.fields.a.b', message: 'is wrong' },
    { path: 'recipe.extract.fields.a.css', message: 'is wrong' },
    { path: 'recipe.page.timeoutMs', message: 'is too short' },
  ]
  expect(explain(badRequest(issues))).toBe(
    'CommandError: --next: is no selector\n--field a.b: is wrong\n--field a: is wrong\n' +
      'recipe: page.timeoutMs: is too short',
  )
})

test('one issue of several rules that came from one flag is reported once', () => {
  const issue = { path: 'recipe.follow.1.next', message: 'is no selector' }
  expect(explain(badRequest([issue, issue]))).toBe('CommandError: --next: is no selector')
})

test('a private address is explained, unless it was allowed already', () => {
  const refused = badRequest([
    { path: 'recipe.start.urls.0', message: 'The host of this URL is not on the public internet.' },
  ])
  expect(explain(refused)).toMatch(
    /^CommandError: http:\/\/a\.test\/: The host .*\n.*--allow-private-network$/,
  )
  expect(explain(refused, true)).not.toContain('--allow-private-network')
  const page = new PlatformError(
    'UNPROCESSABLE_CONTENT',
    'The page could not be fetched: The host of this URL is not on the public internet.',
  )
  expect(explain(page)).toContain('--allow-private-network')
})

test('a refusal of a server says so, and names no flag that this machine alone obeys', () => {
  const path = 'recipe.start.urls.0'
  const refused = badRequest([
    { path, message: 'The host of this URL is not on the public internet.' },
  ])
  const needs = badRequest([{ path, message: 'needs a browser, and this platform has none' }])
  for (const isOpen of [true, false]) {
    expect(explain(refused, isOpen, true)).toMatch(
      /^CommandError: The server refuses this\. http:\/\/a\.test\/: The host .*\nIts operator can allow/,
    )
    expect(explain(needs, isOpen, true)).toMatch(
      /^CommandError: The server refuses this\. .* none$/,
    )
  }
})

test('a page that robots.txt forbids names the flag that visits it', () => {
  const page = new PlatformError(
    'UNPROCESSABLE_CONTENT',
    'The page could not be fetched: The robots.txt of the site forbids this URL.',
  )
  expect(explain(page)).toMatch(/forbids this URL\.\n.*--ignore-robots$/)
})

test('an error of a page that needs a browser or a model says how to have one', () => {
  for (const [needed, way] of [
    ['browser', '--render'],
    ['model', 'SEINE_MODEL_URL'],
  ]) {
    const message = `needs a ${needed}, and this platform has none; leave it out, or ask its operator for one`
    expect(explain(badRequest([{ path: 'recipe.page', message }]))).toMatch(
      new RegExp(String.raw`recipe: page: needs .*\n.*${way}`),
    )
  }
})

test('any other error stays unchanged', () => {
  const error = new PlatformError('CONFLICT', 'The task is archived')
  expect(explainRefusal(error, { flagOf, allowPrivateNetwork: false })).toBe(error)
})
