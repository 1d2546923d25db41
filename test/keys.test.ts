import { expect, test } from 'vitest'
import { findImports } from './support/sources/imports.ts'
import { aliases } from './support/sources/manifest.ts'
import { readSources, type Sources } from './support/sources/sources.ts'
import { findStoreCalls } from './support/stores/store-calls.ts'

/**
 * Files that may use the Store port: the owners of keys, implementations of the port, and files
 * that pass it on.
 */
const MAY_KNOW =
  /^src\/records\/|^src\/features\/([\w-]+\/)?([\w-]+-)?records\.ts$|^src\/features\/verify\/inspect\.ts$|^src\/defaults\/[\w-]*store[\w-]*\.ts$|^src\/platform\/|^src\/(index|backup)\.ts$|^src\/ports\/store\.ts$/

const PORT = 'src/ports/store.ts'

function strangers(sources: Sources): string[] {
  const importers = findImports(sources, aliases).filter(
    ({ target, from }) => target === PORT && !MAY_KNOW.test(from),
  )
  const callers = findStoreCalls(sources).filter(({ path }) => !MAY_KNOW.test(path))
  return [
    ...importers.map(({ from }) => `${from} imports the Store port`),
    ...callers.map(({ path, call }) => `${path} calls ${call}`),
  ]
}

const plant = (files: Readonly<Record<string, string>>) =>
  strangers(new Map(Object.entries({ [PORT]: 'export interface Store {}', ...files })))

test('only records build keys: no other file in src uses the Store', () => {
  const sources = readSources('src')
  expect(
    findImports(sources, aliases).some(
      ({ target, from }) => target === PORT && from.startsWith('src/records/'),
    ),
  ).toBe(true)
  expect(strangers(sources)).toEqual([])
})

test.for([
  ['a type import', "import type { Store } from '../ports/store.ts'", 'imports the Store port'],
  ['an inline type', "export type S = import('../ports/store.ts').Store", 'imports the Store port'],
  ['a passed-on type', "export type { Store } from '../ports/store.ts'", 'imports the Store port'],
  ['a call on a variable', 'export const f = (store: S) => store.get([])', 'calls store.get'],
  [
    'a call on a member',
    'export class F { #store: S; f() { return this.#store.commit({}) } }',
    'calls this.#store.commit',
  ],
  [
    'a call on an option',
    'export const f = (options: O) => options.store.list({})',
    'calls options.store.list',
  ],
  ['an optional call', 'export const f = (store?: S) => store?.get([])', 'calls store?.get'],
  [
    'a call by another name',
    'export const f = (taskStore: S) => taskStore.commit({})',
    'calls taskStore.commit',
  ],
] as const)('planted: %s', ([, text, message]) => {
  expect(plant({ 'src/worker/a.ts': text })).toEqual([`src/worker/a.ts ${message}`])
})

test('planted: files that may use the Store', () => {
  const text =
    "import type { Store } from '../ports/store.ts'\nexport const f = (store: Store) => store.get([])"
  expect(
    plant({
      'src/records/a.ts': text,
      'src/defaults/memory-store.ts': text,
      'src/features/a/records.ts': text.replace('../', '../../'),
      'src/platform/a.ts': text,
    }),
  ).toEqual([])
})

test('planted: other objects with such methods', () => {
  expect(
    plant({
      'src/worker/a.ts':
        'export const f = (cache: Map<string, string>) => cache.get("x")\nexport const store = { a: 1 }',
    }),
  ).toEqual([])
})
