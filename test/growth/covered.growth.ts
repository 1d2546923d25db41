import { Session } from 'node:inspector/promises'
import { expect, test } from 'vitest'
import { readSources } from '../support/sources/sources.ts'
import { NOT_MEASURED } from './not-measured.ts'

// Proves that no reader, converter or detector of pages is left out of the measures: each function
// of the engine's folders is called by a subject, or is in the list with the reason.

const FOLDERS = ['extract', 'media', 'model', 'pdf', 'plan', 'point', 'site']
/** Much smaller than the measured inputs, as only the calls matter here. */
const SIZE = 3_000

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const { BOUNDED_SUBJECTS, PAGE_SUBJECTS, TEXT_SUBJECTS, XML_SUBJECTS } =
  await import('./subjects.ts')
const { KIND_SUBJECTS } = await import('./kind-subjects.ts')
const ALL = [
  ...PAGE_SUBJECTS,
  ...BOUNDED_SUBJECTS,
  ...XML_SUBJECTS,
  ...TEXT_SUBJECTS,
  ...KIND_SUBJECTS,
]

test('every function that reads a page or a text is measured, or has a reason', async () => {
  for (const { families, prepare } of ALL)
    for (const { make } of families) await prepare(make(SIZE))()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called = new Map<string, Set<string>>()
  for (const { url, functions } of result) {
    const path = /\/(src\/engine\/[^?]+)/.exec(url)?.[1]
    if (path === undefined) continue
    const names = called.get(path) ?? new Set()
    called.set(path, names)
    for (const { functionName, ranges } of functions)
      if (ranges.some(({ count }) => count > 0)) names.add(functionName)
  }
  const missing = [...readSources(...FOLDERS.map((folder) => `src/engine/${folder}`))].flatMap(
    ([path, text]) =>
      functionsOf(text).flatMap((name) =>
        called.get(path)?.has(name) === true ? [] : [`${path} ${name}`],
      ),
  )
  const listed = new Set(
    Object.entries(NOT_MEASURED).flatMap(([path, { functions }]) =>
      functions.map((name) => `src/engine/${path} ${name}`),
    ),
  )
  expect(missing.filter((one) => !listed.has(one))).toEqual([])
  // A function that is measured by now needs no reason any more.
  expect([...listed].filter((one) => !missing.includes(one))).toEqual([])
})

/** The names of the functions that a module declares at its top level. */
function functionsOf(text: string): string[] {
  return [...text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm)].map(
    ([, name = '']) => name,
  )
}
