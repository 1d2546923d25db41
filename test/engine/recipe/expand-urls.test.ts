import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  MAX_START_URLS,
  countExpanded,
  expandUrls,
} from '../../../src/engine/recipe/expand-urls.ts'
import type { Issue } from '../../../src/kernel/errors.ts'

const expand = (...urls: string[]): { found: string[]; issues: Issue[] } => {
  const issues: Issue[] = []
  return { found: expandUrls(urls, 'start.urls', issues), issues }
}

describe('start URLs', () => {
  test.each([
    [
      'https://a.example/{1..3}',
      ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'],
    ],
    [
      'https://a.example/{08..10}',
      ['https://a.example/08', 'https://a.example/09', 'https://a.example/10'],
    ],
    [
      'https://a.example/{2..1}/{a, b}',
      [
        'https://a.example/2/a',
        'https://a.example/2/b',
        'https://a.example/1/a',
        'https://a.example/1/b',
      ],
    ],
    ['https://a.example/{7..7}', ['https://a.example/7']],
    ['https://a.example/?q={x}', ['https://a.example/?q={x}']],
    ['https://a.example/?q={}{1,2}', ['https://a.example/?q={}1', 'https://a.example/?q={}2']],
  ])('%s', (pattern, urls) => {
    expect(expand(pattern)).toEqual({ found: urls, issues: [] })
    expect(countExpanded(pattern)).toBe(urls.length)
  })

  test('each expanded URL counts, also if all of them lead to one page', () => {
    const { issues } = expand(
      'https://a.example/1#{1..6000}',
      'https://a.example/1?utm_id={1..4001}',
    )
    expect(issues).toEqual([
      { path: 'start.urls.1', message: expect.stringContaining('more than 10,000 URLs') },
    ])
    expect(expand('https://a.example/1#{1..6000}', 'https://a.example/1?utm_id={1..4000}')).toEqual(
      { found: ['https://a.example/1'], issues: [] },
    )
  })

  test.each([
    'https://a.example/{1..10001}',
    'https://a.example/{1..101}/{1..100}',
    'https://a.example/{1..999999999}',
  ])('%s is too many', (pattern) => {
    expect(countExpanded(pattern)).toBe(MAX_START_URLS + 1)
    expect(expand(pattern)).toEqual({
      found: [],
      issues: [{ path: 'start.urls.0', message: expect.stringContaining('more than 10,000') }],
    })
  })

  test('are as many as the count says, and each is the pattern with one choice of each group', () => {
    const group = fc.oneof(
      fc
        .tuple(fc.nat(30), fc.nat(30))
        .map(([from, to]) => ({ text: `{${from}..${to}}`, choices: Math.abs(to - from) + 1 })),
      fc
        .array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 4 })
        .map((choices) => ({ text: `{${choices.join(',')}}`, choices: choices.length })),
      fc.constantFrom('x', '{}', '{y}').map((text) => ({ text, choices: 1 })),
    )
    fc.assert(
      fc.property(fc.array(group, { maxLength: 6 }), (groups) => {
        const pattern = `https://a.example/?${groups.map(({ text }) => text).join('-')}`
        const count = groups.reduce((product, { choices }) => product * choices, 1)
        expect(countExpanded(pattern)).toBe(Math.min(count, MAX_START_URLS + 1))
        if (count > 500) return
        const shape = new RegExp(
          '^https://a\\.example/\\?' +
            groups
              .map(({ text }) =>
                /^\{.*[,.].*\}$/.test(text) ? '[a-c\\d]+' : text.replace(/[{}]/g, '\\$&'),
              )
              .join('-') +
            '$',
        )
        for (const url of expand(pattern).found) if (groups.length > 0) expect(url).toMatch(shape)
      }),
    )
  })
})
