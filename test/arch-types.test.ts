import { expect, test } from 'vitest'
import { readSources, type Sources } from './support/sources/sources.ts'

/**
 * The types of the API as a caller gets them. The client imports the schemas alone and nothing of
 * the server, so it declares the type of an answer or an input by the name that the server gives
 * it.
 */
const CLIENT = /^src\/client\/(?:types|operator)\.ts$/

/** Names with two declarations, and why each has one name. */
const SAME_NAME = new Map([
  ['ExecutionProgress', 'the data of the same event, as the API sends it and the client gets it'],
  ['ExecutionState', 'the data of the same event, as the API sends it and the client gets it'],
  ['ListPage', 'the same page of a list, as the API sends it and the client gets it'],
  ['ServeOptions', 'public: each entry of a runtime has a `serve` with options of its own'],
  ['ServedPlatform', 'public: what the `serve` of a runtime serves'],
  ['FetchContext', 'public: what the handlers of two runtimes give beside a request'],
  ['Credential', 'what identifies a caller: as headers to the tools, as a key to the client'],
  ['Asked', 'the question about sources and the input of the client: each is used in one folder'],
])

const DECLARATION = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm

/** Exported types and classes that more than one file declares: `Name: files`. */
function findSharedNames(sources: Sources): Map<string, string> {
  const files = new Map<string, string[]>()
  for (const [path, text] of sources)
    for (const [, name = ''] of CLIENT.test(path) ? [] : text.matchAll(DECLARATION))
      files.set(name, [...(files.get(name) ?? []), path])
  return new Map(
    [...files]
      .filter(([, paths]) => paths.length > 1)
      .map(([name, paths]) => [name, `${name}: ${paths.join(', ')}`]),
  )
}

test('an exported type has a name of its own, but for a few with a reason', () => {
  const shared = findSharedNames(readSources('src', 'adapters'))
  expect([...shared].filter(([name]) => !SAME_NAME.has(name)).map(([, files]) => files)).toEqual([])
  expect([...SAME_NAME.keys()].filter((name) => !shared.has(name))).toEqual([])
})

test('planted: a second type of one name, also as a class, and one of the client', () => {
  const planted: Sources = new Map([
    ['src/a.ts', 'export interface Row {\n}\nexport type Cell = string\n'],
    ['adapters/b.ts', 'export abstract class Row {\n}\ninterface Cell {}\n'],
    ['src/client/types.ts', 'export type Cell = string\n'],
  ])
  expect([...findSharedNames(planted).values()]).toEqual(['Row: src/a.ts, adapters/b.ts'])
})
