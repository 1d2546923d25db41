import { expect, test } from 'vitest'
import { checkTitle } from './support/short-titles.ts'
import { readSources, type Sources } from './support/sources/sources.ts'

/**
 * Code that tests in shared modules may not have, whatever their kind: it is for proofs, each of
 * which has a process of its own.
 */
const FOR_PROOFS =
  /^vi\.mock\(|^(?:import .*|\}) from '(?:node:(?:child_process|worker_threads)|[./]+\/support\/(?:command|(?:stores\/(?:child|writer-process)|sources\/(?:dist|edge-bundle)|worlds\/page-pool|postgres\/.*|redis\/.*))\.ts)'/m

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

const misnamed = (sources: Sources): string[] =>
  [...sources]
    .filter(([path]) => path.endsWith('.test.ts') && !path.endsWith('.proof.test.ts'))
    .flatMap(([path, text]) => {
      const [line] = FOR_PROOFS.exec(text) ?? []
      return line === undefined ? [] : [`${path}: ${line}`]
    })

test('tests in shared modules start no process, read no build and replace no module', () => {
  expect(misnamed(readSources('test'))).toEqual([])
})

/** Kinds of tests that answer before a merge only. */
const LATER = /\.(?:proof|property|slow)\.test\.ts$/

test('a folder with slow tests also has unit tests, which answer while one works', () => {
  const paths = [...readSources('test').keys()].filter((path) => path.endsWith('.test.ts'))
  const quick = paths.filter((path) => !LATER.test(path))
  const folders = paths.filter((path) => path.endsWith('.slow.test.ts')).map(folderOf)
  expect(folders.filter((folder) => !quick.some((path) => folderOf(path) === folder))).toEqual([])
})

const HELPERS = [
  'command',
  'stores/child',
  'stores/writer-process',
  'sources/dist',
  'sources/edge-bundle',
  'worlds/page-pool',
  'postgres/open',
  'redis/open',
]

test('the helpers of proofs are in the places that the rule checks', () => {
  const files = readSources('test/support')
  for (const name of HELPERS) {
    expect(files.has(`test/support/${name}.ts`), name).toBe(true)
    const text = `import { one } from '../support/${name}.ts'`
    expect(misnamed(new Map([['test/a.test.ts', text]])), name).toHaveLength(1)
  }
})

test.for([
  "import { spawn } from 'node:child_process'",
  "import { openPostgres } from '../support/postgres/open.ts'",
  "import {\n  runNode,\n} from './support/command.ts'",
  "vi.mock('../src/a.ts')",
])('planted: %s', (text) => {
  for (const kind of ['', '.slow', '.property'])
    expect(misnamed(new Map([[`test/a${kind}.test.ts`, text]])), kind).toHaveLength(1)
  expect(misnamed(new Map([['test/a.proof.test.ts', text]]))).toEqual([])
})

test('planted: a title that is too long', () => {
  expect(() => checkTitle('x'.repeat(301))).toThrow('a title of 301 characters; at most 300')
  checkTitle('x'.repeat(300))
})
