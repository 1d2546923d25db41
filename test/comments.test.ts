import { expect, it } from 'vitest'
import { readSources } from './support/sources/sources.ts'
import { findClauseComments } from './support/sources/style.ts'

it('no comment begins with What or Where, in place of its subject', () => {
  const all = readSources('src', 'adapters', 'examples', 'bench', 'test')
  expect(all.size).toBeGreaterThan(1_500)
  expect(findClauseComments(all)).toEqual([])
})

it('the check finds comments of each form, and passes over the middle of one', () => {
  const text = [
    '/** What a run has found. */',
    '/**',
    ' * Where a page begins. Its end is elsewhere:',
    ' * What follows is another page.',
    ' */',
    '// What is this?',
    '// A comment of two lines:',
    '// Where the second is no beginning.',
    'const text = "What is a text"',
    '/* Whatever */',
  ].join('\n')
  expect(findClauseComments(new Map([['a.ts', text]]))).toEqual(['a.ts:1', 'a.ts:3', 'a.ts:6'])
  const made = `// Made from the schema: do not edit. After a change: npm run client\n${text}`
  expect(findClauseComments(new Map([['a.ts', made]]))).toEqual([])
})
