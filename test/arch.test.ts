import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { failingCases } from './support/failing-cases.ts'
import { findCycles, findImports } from './support/sources/imports.ts'
import { findViolations, LAYERS, layerOf, type Layer } from './support/sources/layers.ts'
import { aliases, manifest, entries } from './support/sources/manifest.ts'
import { publicExports } from './support/sources/public-api.ts'
import { listFiles, readSources, root, type Sources } from './support/sources/sources.ts'
import {
  findBarrels,
  findDirectives,
  findFullFolders,
  findGrammarNames,
  findSmallFiles,
  findWideLines,
  findWideProse,
  lineCounts,
  withoutTables,
} from './support/sources/style.ts'

const sources = readSources('src', 'adapters')
const imports = findImports(sources, aliases)
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const plant = (files: Readonly<Record<string, string>>): Sources => new Map(Object.entries(files))
const violations = (files: Readonly<Record<string, string>>) =>
  findViolations(findImports(plant(files), aliases), dependencies)
const cycles = (files: Readonly<Record<string, string>>) =>
  findCycles(findImports(plant(files), aliases), aliases)

test('the checks find the files and their imports', () => {
  expect(sources.size).toBeGreaterThan(20)
  expect(imports.filter(({ kind }) => kind === 'file').length).toBeGreaterThan(20)
  expect(imports.filter(({ kind }) => kind === 'package').length).toBeGreaterThan(3)
  const screens = [...sources.keys()].filter((path) => path.endsWith('.tsx'))
  expect(screens.length).toBeGreaterThan(20)
  expect(imports.some(({ from, kind }) => kind === 'file' && screens.includes(from))).toBe(true)
})

test('no import breaks the layer table', () => {
  expect(findViolations(imports, dependencies)).toEqual([])
})

test('no files import one another in a ring', () => {
  expect(findCycles(imports, aliases)).toEqual([])
})

test('the routes of every feature are in the one list of routes', () => {
  const isTable = (path: string) => /^src\/features\/[\w-]+\/routes\.ts$/.test(path)
  const tables = [...sources.keys()].filter(isTable)
  expect(tables.length).toBeGreaterThan(10)
  // The routes of operators are loaded when they are asked for.
  const listed = imports.filter(({ from }) =>
    /^src\/platform\/(?:operator-)?routes\.ts$/.test(from),
  )
  expect(
    listed
      .map(({ target }) => target)
      .filter(isTable)
      .toSorted(),
  ).toEqual(tables.toSorted())
})

test('no file has more than 500 lines', () => {
  expect(lineCounts(sources).filter(({ lines }) => lines > 500)).toEqual([])
})

/** Files that may be small: the pattern of their path, and why. */
const SHORT: readonly (readonly [RegExp, reason: string])[] = [
  [/^adapters\/[\w-]+\/index\.ts$/, 'an entry of the package'],
  [/^adapters\/command\/settings\/index\.ts$/, 'an entry of the package'],
  [/^adapters\/command\/command-name\.ts$/, 'the hints of all commands import it'],
  [/^src\/ports\/[\w-]+\.ts$/, 'a port has a file of its own'],
  [
    /^src\/features\/[\w-]+\/(?:jobs|examples|schema|answers|routes)\.ts$/,
    'each subject has the same files',
  ],
  [/\/(?:short-digest|document-reader|absent)\.ts$/, 'package.json chooses one for each runtime'],
  [/^src\/mcp\/context\/built-app\.ts$/, 'the type of what the build writes'],
  [/^src\/engine\/extract\/tree\/token-sink\.ts$/, 'all readers and builders of trees import it'],
  [/^src\/backup\.ts$/, 'an entry of the package'],
  [/^src\/features\/webhooks\/mail\/refuse-url\.ts$/, 'is loaded without the rest of mail'],
  [/^src\/features\/webhooks\/event-schema\.ts$/, 'is loaded with jobs, and not with routes'],
  [/^src\/engine\/egress\/normal-refusal\.ts$/, 'is loaded where recipes are admitted'],
  [/^src\/mcp\/within-time\.ts$/, 'is loaded with the first call of an agent'],
  [/^src\/mcp\/tool-names\.ts$/, 'options are checked without the tools'],
  [/^src\/console(?:\/assets)?\.ts$/, 'an entry of the package, and what its build writes'],
  [/^adapters\/(?:bun|deno)\/sqlite-store\.ts$/, 'imports what only its runtime has'],
  [/^src\/console\/app\/boot\.ts$/, 'is sent alone, before all other scripts'],
  [/\.d\.ts$/, 'the types of a package without types'],
  [/^src\/features\/templates\/json-schema\.ts$/, 'is loaded with its converter, when needed'],
  [/^src\/engine\/extract\/page\/page-limits\.ts$/, 'plans need it before the engine is loaded'],
  [/^src\/console\/app\/operator-words\.ts$/, 'is loaded with the screens of operators alone'],
  [/^src\/console\/app\/screens\/\w+-screens\.ts$/, 'a group of screens is loaded as one file'],
  [/^src\/kernel\/http\/event-stream\.ts$/, 'routes, agents and tests share it'],
  [/^src\/engine\/egress\/retry-after\.ts$/, 'all who call other servers share it'],
  [/^src\/kernel\/time\.ts$/, 'fifty files of all layers need it'],
  [/^src\/http\/address\.ts$/, 'the platform needs it without the handler'],
  [/^src\/engine\/extract\/page-fields\.ts$/, 'columns as data, apart from how they are chosen'],
  [/^adapters\/command\/stderr-logger\.ts$/, 'five commands share it'],
  [/^src\/features\/common\/(?:issue-paths|key-end)\.ts$/, 'several features share it'],
  [/^src\/features\/common\/commit-with-preconditions\.ts$/, 'several features share it'],
  [
    /^src\/console\/app\/(?:parts\/typed-address|run\/over-time|dataset\/by-day|task\/schedule-times)\.ts$/,
    'is tested without a screen',
  ],
  [/^src\/features\/templates\/catalog\/[\w-]+\.ts$/, 'a template has a file of its own'],
  [/^src\/defaults\/memory-(?:blobs|limiter)\.ts$/, 'a port has a file of its own'],
  [/^src\/features\/operator\/standing\.ts$/, 'is loaded without the routes of operators'],
  [/^src\/platform\/idle-queue\.ts$/, 'is loaded where a run waits and no worker runs'],
  [/^src\/platform\/operator-worker\.ts$/, 'is loaded where a worker runs'],
  [/^src\/engine\/extract\/page\/script-date\.ts$/, 'dates are no part of the grammar of literals'],
  [/^adapters\/command\/api\/own-data\.ts$/, 'is loaded for --allow-private-network alone'],
  [/^adapters\/playwright\/find-chromium\.ts$/, 'reads folders, and is tested without a browser'],
  [/^adapters\/command\/bench\/site\.ts$/, 'the entry of a thread'],
  [/^adapters\/common\/sqlite\/checkpoint-thread\.ts$/, 'the entry of a thread'],
  [/^adapters\/common\/sqlite\/drop-deleted\.ts$/, 'SQL is beside its store, not in the command'],
]

test('a small file has a reason, and each reason has a file', () => {
  const small = findSmallFiles(sources, imports)
  const reasonsOf = (path: string) => SHORT.filter(([pattern]) => pattern.test(path))
  expect(small.filter((path) => reasonsOf(path).length !== 1)).toEqual([])
  expect(
    SHORT.filter(([pattern]) => !small.some((path) => pattern.test(path))).map(String),
  ).toEqual([])
  const planted = plant({
    'tiny.ts': 'x\n'.repeat(24),
    'for-one.ts': 'x\n'.repeat(39),
    'for-two.ts': 'x\n'.repeat(39),
    'long.ts': 'x\n'.repeat(40),
    'a.ts': `import './for-one.ts'\nimport './for-two.ts'\nimport './long.ts'${'\n'.repeat(40)}`,
    'b.ts': `import type { X } from './for-two.ts'${'\n'.repeat(40)}`,
  })
  expect(findSmallFiles(planted, findImports(planted, {}))).toEqual(['tiny.ts', 'for-one.ts'])
})

test('no folder has more than 30 files', () => {
  // Decisions are one list, which is read by number.
  const files = listFiles('src', 'adapters', 'test', 'examples', 'docs', 'bench', '.ci')
  expect(files.some((path) => path.endsWith('.tsx'))).toBe(true)
  expect(findFullFolders(files)).toEqual([])
  const page = (index: number) => `docs/guides/${index}.md`
  expect(findFullFolders(Array.from({ length: 31 }, (_, index) => page(index)))).toEqual([
    'docs/guides',
  ])
})

test('no line is wider than 120 columns', () => {
  expect(findWideLines(sources)).toEqual([])
})

test('no comment, title or string outside of src is wider than 120 columns', () => {
  const beside = readSources('examples', 'bench', 'test')
  expect(beside.size).toBeGreaterThan(500)
  expect(findWideProse(beside)).toEqual([])
})

test('no script of the check is wider than 120 columns', () => {
  const scripts = readdirSync(join(root, '.ci'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [`.ci/${name}`, readFileSync(join(root, '.ci', name), 'utf8')] as const)
  expect(scripts.length).toBeGreaterThan(1)
  expect(findWideLines(new Map(scripts))).toEqual([])
})

test('no page is wider than 120 columns, except for tables and code', () => {
  const pages = [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...['bench/README.md', ...listFiles('decisions'), ...listFiles('docs')].filter((path) =>
      path.endsWith('.md'),
    ),
  ]
  // The links of the first are absolute, and it has at most 150 lines; the others come from schemas.
  const wide = new Set(['README.md', 'docs/configuration.md', 'docs/recipes.md'])
  const texts = pages
    .filter((path) => !wide.has(path))
    .map((path) => [path, withoutTables(readFileSync(join(root, path), 'utf8'))] as const)
  expect(texts.length).toBeGreaterThan(100)
  expect(findWideLines(new Map(texts))).toEqual([])
})

test('no comment switches a check off', () => {
  expect(findDirectives(readSources('src', 'adapters', 'examples', 'bench', 'test'))).toEqual([])
})

test('the name of a local says what its value is, not where it comes from', () => {
  expect(findGrammarNames(sources)).toEqual([])
  const text = `function f(given) {
    const { at, kept: row, written } = given
    const [found] = [{ told: at, known: written }]
    return { row, found: ({ size: kept }) => kept, asked: (wanted: string) => wanted, ids: row.map((one) => one) }
  }`
  expect(findGrammarNames(plant({ 'a.ts': text }))).toEqual([
    'a.ts:1: given',
    'a.ts:3: found',
    'a.ts:4: kept',
    'a.ts:4: wanted',
    'a.ts:4: one',
  ])
})

test('only entries re-export names', () => {
  const entrySources = new Set(entries.map(({ source }) => source))
  expect(findBarrels(sources).filter((path) => !entrySources.has(path))).toEqual([])
})

test('every public export is documented', () => {
  const everything = readSources('src', 'adapters', 'test/contracts')
  const exports = entries.flatMap(({ name, source }) =>
    publicExports(source, everything).map((one) => ({ ...one, entry: name })),
  )
  expect(
    exports
      .filter(({ documented }) => !documented)
      .map((one) => `${one.entry}: ${one.name} (${one.declaredIn})`),
  ).toEqual([])
})

const fileOf = (layer: Layer, name: string) =>
  layer === 'index'
    ? 'src/index.ts'
    : layer === 'adapter'
      ? `adapters/x/${name}.ts`
      : `src/${layer}/${name}.ts`
const layers = Object.keys(LAYERS).filter((name): name is Layer => name in LAYERS)
const pairs = layers.flatMap((from) =>
  layers
    .filter((to) => to !== from && to !== 'index')
    .map((to) => ({ from, to, allowed: LAYERS[from].some((name) => name === to) })),
)

function expectPair({ from, to, allowed }: (typeof pairs)[number]): void {
  const [a, b] = [fileOf(from, 'a'), fileOf(to, 'b')]
  const specifier = posix.relative(posix.dirname(a), b)
  const text = `import type { B } from '${specifier.startsWith('.') ? specifier : `./${specifier}`}'\nexport type A = B`
  expect(layerOf(a)).toBe(from)
  expect(violations({ [a]: text, [b]: 'export interface B {}' })).toHaveLength(allowed ? 0 : 1)
}

test('planted: an import between any two layers', async () => {
  const nameOf = ({ from, to, allowed }: (typeof pairs)[number]) =>
    `${from} -> ${to}, allowed: ${allowed}`
  expect(await failingCases(pairs, nameOf, expectPair)).toEqual([])
})

const PLANTED: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  [
    'a parent index',
    { 'src/worker/a.ts': "export { x } from '../index.ts'", 'src/index.ts': 'export const x = 1' },
    'nobody imports an index',
  ],
  [
    'an own index',
    {
      'adapters/x/a.ts': "export { x } from './index.ts'",
      'adapters/x/index.ts': 'export const x = 1',
    },
    'nobody imports an index',
  ],
  [
    'another adapter',
    { 'adapters/x/a.ts': "import '../y/b.ts'", 'adapters/y/b.ts': 'export {}' },
    'adapters never import one another',
  ],
  [
    'an adapter in what adapters share',
    { 'adapters/common/a.ts': "import '../y/b.ts'", 'adapters/y/b.ts': 'export {}' },
    'adapters never import one another',
  ],
  ['a missing file', { 'src/worker/a.ts': "import type { X } from './b.ts'" }, 'leads to no file'],
  [
    'a specifier without .ts',
    { 'src/worker/a.ts': "import './b'", 'src/worker/b.ts': 'export {}' },
    'leads to no file',
  ],
  [
    'a computed import',
    { 'src/worker/a.ts': 'export const x = (y: string) => import(y)' },
    'leads to no file',
  ],
  ['an unknown folder', { 'src/utils/a.ts': "import 'valibot'" }, 'the file is in no layer'],
  [
    'a runtime module',
    { 'src/worker/a.ts': "export const x = () => import('node:fs')" },
    'src uses web standards alone',
  ],
  [
    'a runtime type',
    { 'src/worker/a.ts': "export type X = import('node:fs').Stats" },
    'src uses web standards alone',
  ],
  [
    'the seam',
    { 'src/worker/a.ts': "import '#fetcher'" },
    'only the platform takes a runtime default',
  ],
  ['an undeclared seam', { 'src/platform/a.ts': "import '#nowhere'" }, 'leads to no file'],
  [
    'a vendor elsewhere',
    { 'src/worker/a.ts': "import { string } from 'valibot'" },
    "is confined to other folders than worker's",
  ],
  [
    'a vendor type elsewhere',
    { 'src/features/tasks/service.ts': "import type { GenericSchema } from 'valibot'" },
    "is confined to other folders than features's",
  ],
  [
    'a vendor subpath',
    { 'src/worker/a.ts': "import 'unstorage/drivers/fs'" },
    "is confined to other folders than worker's",
  ],
  ['a dev dependency', { 'adapters/x/a.ts': "import 'oxlint'" }, 'is no dependency of the package'],
  [
    "a sibling's inside",
    { 'src/features/a/x.ts': "import type { X } from '../b/y.ts'", 'src/features/b/y.ts': '' },
    'features meet through service.ts, records.ts and schemas',
  ],
  [
    'the engine entry',
    {
      'adapters/x/a.ts': "import { parseRecipe } from '../../src/engine.ts'",
      'src/engine.ts': 'export const parseRecipe = 1',
    },
    'only page processors import the engine entry',
  ],
  [
    'the engine inside',
    {
      'adapters/x/page-thread.ts': "import { x } from '../../src/engine/x.ts'",
      'src/engine/x.ts': 'export const x = 1',
    },
    'adapter may not import engine',
  ],
  [
    'the work of the engine beside a thread',
    {
      'adapters/x/page-here.ts': "import { w } from '../../src/engine/page-work.ts'",
      'src/engine/page-work.ts': 'export const w = 1',
    },
    'adapter may not import engine',
  ],
  [
    'records for any adapter',
    {
      'adapters/x/a.ts': "import { X } from '../../src/features/report-views.ts'",
      'src/features/report-views.ts': 'export const X = 1',
    },
    'only what makes views knows records',
  ],
  [
    'other records for views',
    {
      'adapters/x/views.ts': "import { X } from '../../src/features/records.ts'",
      'src/features/records.ts': 'export const X = 1',
    },
    'adapter may not import features',
  ],
  [
    'a value for the client',
    {
      'src/client/a.ts': "import { x } from '../kernel/x.ts'",
      'src/kernel/x.ts': 'export const x = 1',
    },
    'the client takes types alone',
  ],
  [
    'a client inside',
    {
      'src/platform/a.ts': "import { x } from '../client/x.ts'",
      'src/client/x.ts': 'export const x = 1',
    },
    'platform may not import client',
  ],
  [
    'the own name',
    { 'src/worker/a.ts': "import 'seine'" },
    'only the command and serve import the package by its name',
  ],
]

test('planted: every kind of violation, each with its own reason', async () => {
  const failing = await failingCases(
    PLANTED,
    ([name]) => name,
    ([, files, reason]) =>
      expect(violations(files).map((violation) => violation.split(': ').at(-1))).toEqual([reason]),
  )
  expect(failing).toEqual([])
})

test('planted: imports that the command, serve and the platform may have', () => {
  expect(
    violations({
      'adapters/command/main.ts':
        "import { createPlatform } from 'seine'\nimport { serve } from 'seine/node'",
      'adapters/node/serve.ts':
        "import type { Platform } from 'seine'\nimport { createServer } from 'node:http'",
      'src/platform/a.ts': "import { createFetcher } from '#fetcher'",
      'src/features/tasks/schema.ts': "import * as v from 'valibot'",
      'src/features/tasks/service.ts':
        "import type { X } from '../x/service.ts'\nimport { x } from '../x/schema.ts'\nimport { y } from '../y.ts'",
      'src/features/x/service.ts': "import './z.ts'",
      'src/features/x/schema.ts': '',
      'src/features/x/z.ts': '',
      'src/features/y.ts': '',
      'adapters/x/a.ts': "import '../common/b/c.ts'",
      'adapters/common/b/c.ts': "import '../d.ts'",
      'adapters/common/d.ts': '',
      'adapters/x/page-here.ts': "import { parseRecipe } from '../../src/engine.ts'",
      'adapters/x/page-thread.ts': "import { w } from '../../src/engine/page-work.ts'",
      'src/engine/page-work.ts': 'export const w = 1',
      'adapters/x/views.ts': "import { X } from '../../src/features/report-views.ts'",
      'src/features/report-views.ts': 'export const X = 1',
      'src/engine.ts': "export { x } from './engine/x.ts'",
      'src/engine/x.ts': 'export const x = 1',
    }),
  ).toEqual([])
})

test('planted: rings of imports, also through types and the seam', () => {
  expect(
    cycles({
      'src/worker/a.ts': "import './b.ts'",
      'src/worker/b.ts': "import './c.ts'",
      'src/worker/c.ts': "import type { A } from './a.ts'",
    }),
  ).toEqual([['src/worker/a.ts', 'src/worker/b.ts', 'src/worker/c.ts']])
  expect(
    cycles({
      'src/platform/platform.ts': "import '#fetcher'",
      'adapters/node/fetcher.ts': "import '../../src/platform/platform.ts'",
    }),
  ).toHaveLength(1)
  expect(
    cycles({
      'src/worker/a.ts': "import './b.ts'",
      'src/worker/b.ts': "import './c.ts'",
      'src/worker/c.ts': '',
    }),
  ).toEqual([])
})

test('planted: long files, directives, barrels and bare exports', () => {
  expect(lineCounts(plant({ a: 'x\n'.repeat(301), b: 'x' }))).toEqual([
    { path: 'b', lines: 1 },
    { path: 'a', lines: 301 },
  ])
  const wide = 'x'.repeat(121)
  expect(
    findWideLines(
      plant({
        a: `ok\n${wide}`,
        b: `// see https://example.com/${wide}`,
        c: `  // https://example.com/${wide}\n  /${wide}/u,\n${'x'.repeat(120)}`,
        d: `/** ${wide} */`,
      }),
    ),
  ).toEqual(['a:2', 'b:1', 'c:2', 'd:1'])
  expect(
    findWideProse(
      plant({
        a: `const page = '${wide}'`,
        b: `test('${wide}', () => {`,
        c: ` * It's ${wide}`,
      }),
    ),
  ).toEqual(['b:1', 'c:1'])
  expect(
    findWideLines(
      plant({ 'a.md': withoutTables(`| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\n${wide}`) }),
    ),
  ).toEqual(['a.md:5'])
  expect(
    findDirectives(
      plant({
        a: 'const x = 1 // oxlint-disable-line',
        b: 'f(/* @ts-ignore */ x)',
        c: "const y = '// eslint-disable'",
      }),
    ),
  ).toHaveLength(2)
  expect(
    findBarrels(
      plant({
        a: "export * from './b.ts'\nexport { c } from './c.ts'",
        b: "export { c } from './c.ts'\nexport const d = 1",
      }),
    ),
  ).toEqual(['a'])
  const entry = plant({
    'src/index.ts':
      "export { a, type C as D } from './a.ts'\nexport * from './b.ts'\n/** Said. */\nexport const e = 1",
    'src/a.ts':
      '/** Says.\n * @example\n * a()\n */\nexport function a() {}\nexport interface C {}',
    'src/b.ts': '/** */\nexport class B {}',
  })
  expect(
    publicExports('src/index.ts', entry).map(({ name, documented, examples }) => [
      name,
      documented,
      examples,
    ]),
  ).toEqual([
    ['a', true, ['a()']],
    ['D', false, []],
    ['B', false, []],
    ['e', true, []],
  ])
})
