import { expect, test } from 'vitest'
import { findAmbientUses } from './support/ambient.ts'
import { findImports } from './support/sources/imports.ts'
import { aliases } from './support/sources/manifest.ts'
import { readSources, type Sources } from './support/sources/sources.ts'

/**
 * The files that send requests: the one place of the platform, the adapters behind the same port,
 * and those of the client and the console, which run elsewhere.
 */
const SENDS = /^src\/(defaults\/web-fetcher|client\/web-defaults|console\/app\/session)\.ts$/
/**
 * The files that use the clock and randomness of the system: those that make ports of them, and the
 * pace of long work, on which no result depends.
 */
const TELLS = /^src\/(defaults\/system-[\w-]+|client\/web-defaults|kernel\/pace)\.ts$/
/** Files that may use a Fetcher: the egress function, implementations, and files that pass one on. */
const MAY_KNOW =
  /^src\/engine\/egress\/|^src\/defaults\/[\w-]*fetcher[\w-]*\.ts$|^src\/platform\/|^src\/index\.ts$/

const PORT = 'src/ports/fetcher.ts'

function leaks(sources: Sources, all = findAmbientUses(sources)): string[] {
  const uses = all.filter(({ kind, path }) => !(kind === 'network' ? SENDS : TELLS).test(path))
  const importers = findImports(sources, aliases).filter(
    ({ from, target }) => target === PORT && !MAY_KNOW.test(from),
  )
  return [
    ...uses.map(({ path, what }) => `${path} uses ${what}`),
    ...importers.map(({ from }) => `${from} imports the Fetcher port`),
  ]
}

const plant = (text: string, path = 'src/worker/a.ts') =>
  leaks(
    new Map([
      [path, text],
      [PORT, 'export interface Fetcher {}'],
    ]),
  )

test('every request leaves through egress; time and randomness are injected', () => {
  const sources = readSources('src')
  const uses = findAmbientUses(sources)
  const kinds = new Set(uses.map(({ kind }) => kind))
  expect([...kinds].toSorted()).toEqual(['chance', 'network', 'time'])
  expect(leaks(sources, uses)).toEqual([])
})

test.for([
  ["export const f = () => fetch('http://localhost')", 'uses fetch'],
  ['export const f = (send = globalThis.fetch) => send', 'uses globalThis.fetch'],
  ['export const f = { fetch }', 'uses fetch'],
  ["export const f = () => new WebSocket('ws://localhost')", 'uses WebSocket'],
  ["import type { Fetcher } from '../ports/fetcher.ts'", 'imports the Fetcher port'],
  ['export const f = () => Date.now()', 'uses Date.now'],
  ['export const f = (now = Date.now) => now()', 'uses Date.now'],
  ['export const f = () => new Date()', 'uses new Date()'],
  ['export const f = (done: () => void) => setTimeout(done, 1)', 'uses setTimeout'],
  ['export const f = () => AbortSignal.timeout(1)', 'uses AbortSignal.timeout'],
  ['export const f = () => Math.random()', 'uses Math.random'],
  ['export const f = () => crypto.randomUUID()', 'uses crypto.randomUUID'],
] as const)('planted: %s', ([text, message]) => {
  expect(plant(text)).toEqual([`src/worker/a.ts ${message}`])
})

test('planted: in the JSX of a screen', () => {
  expect(plant('export const A = () => <b>{Date.now()}</b>', 'src/console/app/a.tsx')).toEqual([
    'src/console/app/a.tsx uses Date.now',
  ])
})

test('planted: code that is allowed', () => {
  expect(
    plant(
      'export interface P { fetch(request: Request): Promise<Response> }\n' +
        'export const f = (p: P, r: Request) => p.fetch(r)',
    ),
  ).toEqual([])
  expect(
    plant('export const f = (ms: number) => new Date(ms)\nexport const g = crypto.subtle'),
  ).toEqual([])
  expect(
    plant("export const f = () => fetch('http://localhost')", 'src/defaults/web-fetcher.ts'),
  ).toEqual([])
})
