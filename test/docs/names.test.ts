import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { docPages } from '../support/sources/doc-blocks.ts'
import { root } from '../support/sources/sources.ts'

/** Proves that texts name only files, declarations and scripts that exist. */
const DOCS = ['AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docPages().keys()]
const FOLDERS = /^(src|adapters|test|examples|bench|decisions|docs)\//
const PLACEHOLDER = /[<*]/

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The matches of the groups of a pattern in each text, after the path of the text. */
function matches(pattern: RegExp): string[][] {
  return DOCS.flatMap((doc) =>
    [...read(doc).matchAll(pattern)].map(([, ...groups]) => [doc, ...groups]),
  )
}

/** Whether a file declares something of this name. */
function declares(path: string, name: string): boolean {
  if (!existsSync(join(root, path))) return false
  return new RegExp(
    `^(export )?(async )?(abstract )?(function|class|const|interface|type) ${name}\\b`,
    'm',
  ).test(read(path))
}

test('a decision has at most two screens', () => {
  const long = readdirSync(join(root, 'decisions')).filter(
    (name) => /^\d/.test(name) && read(`decisions/${name}`).split('\n').length > 91,
  )
  expect(long).toEqual([])
})

test('a path in a code span exists', () => {
  const paths = matches(/`([^`\s]+)`/g).filter(
    ([, path = '']) => FOLDERS.test(path) && !PLACEHOLDER.test(path),
  )
  expect(paths.length).toBeGreaterThan(60)
  expect(paths.filter(([, path = '']) => !existsSync(join(root, path)))).toEqual([])
})

test('a name beside a file is declared in that file', () => {
  const names = matches(/`(\w+)`\s+(?:\(|in\s+|of\s+)`([\w./-]+\.ts)`/g)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter(([, name = '', path = '']) => !declares(path, name))).toEqual([])
})

test('commands are scripts of package.json', () => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    read('package.json'),
  )
  const commands = matches(/`npm run (?:-s )?([\w:]+)/g)
  expect(commands.length).toBeGreaterThan(15)
  expect(commands.filter(([, name = '']) => scripts[name] === undefined)).toEqual([])
})
