import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { beforeAll, expect, test } from 'vitest'
import { builtNames, checkConsumer, requireBuild, runNode } from './support/sources/dist.ts'
import { bundleForEdge } from './support/sources/edge-bundle.ts'
import { entries, manifest } from './support/sources/manifest.ts'
import { root } from './support/sources/sources.ts'

beforeAll(requireBuild)

test('every target that package.json names was built', () => {
  const targets = [
    ...entries.flatMap(({ built, types }) => [built, types]),
    ...Object.values(manifest.bin),
    ...Object.values(manifest.imports).flatMap((conditions) => Object.values(conditions)),
  ]
  expect(targets.length).toBeGreaterThan(10)
  expect(targets.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

// The contract suites register tests, so they can be loaded inside a test run only.
test.for(entries.filter(({ name }) => name !== 'seine/testing'))(
  '$name exports what its source exports',
  async ({ name, source }) => {
    const module: object = await import(join(root, source))
    expect(await builtNames(name)).toEqual(Object.keys(module).toSorted())
  },
)

test('the command runs', async () => {
  const { code, stdout, stderr } = await runNode('dist/command/main.js', '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const word of ['serve', 'extract', 'keys']) expect(stdout).toContain(word)
})

test('page threads start from the built package, by themselves', async () => {
  const detect =
    "const { kind } = await platform.api.previews.detect({ account: 'a', user: 'u', " +
    "scopes: ['*'] }, 'https://a.example.com/')"
  const fetcher =
    "{ capabilities: { pinsAddresses: true }, resolve: async () => ['93.184.216.34'], " +
    "send: async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: new " +
    'Uint8Array(9), truncated: false }), close: async () => {} }'
  const script = `import { createPlatform } from 'seine'; const platform = createPlatform({ fetcher: ${fetcher}, logger: { debug() {}, info() {}, warn() {}, error() {} } })
    let threads = 0; process.on('worker', () => threads++); ${detect}; console.log(kind, threads); await platform.close()`
  expect(await runNode('--input-type=module', '-e', script)).toEqual({
    code: 0,
    stdout: 'page 1\n',
    stderr: '',
  })
  const own = `import { createPageThreads } from 'seine/node'; const pool = createPageThreads({ threads: 1 })
    console.log((await pool.openPages().detect({ url: 'https://a.example/', contentType: 'text/html', body: new Uint8Array(9) })).kind); await pool.close()`
  expect(await runNode('--input-type=module', '-e', own)).toEqual({
    code: 0,
    stdout: 'page\n',
    stderr: '',
  })
})

test('each file that a thread runs is at the place where the built code looks for it', async () => {
  const dist = join(root, 'dist')
  const files = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.js'))
  const looked = await Promise.all(
    files.map(async (path) =>
      [
        ...(await readFile(join(dist, path), 'utf8')).matchAll(
          /new URL\("([^"]+\.js)", import\.meta\.url\)/g,
        ),
      ].map(([, target = '']) => join(dist, dirname(path), target)),
    ),
  )
  expect(looked.flat().length).toBeGreaterThanOrEqual(3)
  expect(looked.flat().filter((path) => !existsSync(path))).toEqual([])
})

test('a page thread begins with a few files and no package, and loads PDFs and exports later', async () => {
  const dist = join(root, 'dist')
  const { files, outside } = await loadedBy(join(dist, 'adapters/node/page-thread.js'))
  const text = [...files.values()].join('\n')
  expect(files.size).toBeLessThan(30)
  expect([...outside].filter((name) => !name.startsWith('node:'))).toEqual([])
  expect(text).toContain('// src/engine/page-work.ts')
  for (const later of ['pdf/read-pdf.ts', 'export/formats.ts', 'point/view.ts'])
    expect(text).not.toContain(`// src/engine/${later}`)
  const licenses = await readFile(join(dist, 'licenses.txt'), 'utf8')
  const inConsole = ['preact', '@preact/signals', 'uplot', '@codemirror/view', '@lezer/lr']
  for (const name of ['valibot', 'css-select', 'domelementtype', ...inConsole])
    expect(licenses).toMatch(new RegExp(`^${name}\\n`, 'm'))
})

test('a worker begins without the code that reads pages, which is loaded with the first execution', async () => {
  const dist = join(root, 'dist')
  const names = (await readdir(dist)).filter((name) => /^worker-.*\.js$/.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(dist, name), 'utf8')))
  const start = names[texts.findIndex((text) => text.includes('// src/platform/worker.ts'))]
  const { files } = await loadedBy(join(dist, start ?? 'worker'))
  const text = [...files.values()].join('\n')
  expect(text).toContain('// src/crawl/jobs.ts')
  expect(text).not.toMatch(/^\/\/ src\/engine\/(?:visit|site|extract\/(?:auto|select|tree))\//m)
  expect(text).not.toMatch(/^\/\/ src\/crawl\/(?:run|commit|visit)\//m)
})

test('a server begins with a few files of its own', async () => {
  const dist = join(root, 'dist')
  const chunks = (await readdir(dist)).filter((name) => /^(?:serve|worker|server)-/.test(name))
  const starts = ['index.js', 'command/main.js', 'console.js', ...chunks]
  const adapters = ['node', 'sqlite', 'unstorage'].map((name) => `adapters/${name}/index.js`)
  const loaded = await Promise.all(
    [...starts, ...adapters].map((path) => loadedBy(join(dist, path))),
  )
  const files = new Set(loaded.flatMap((one) => [...one.files.keys()]))
  const text = loaded.flatMap((one) => [...one.files.values()]).join('\n')
  for (const part of [
    'src/platform/worker.ts',
    'src/platform/http.ts',
    'adapters/command/serve.ts',
  ])
    expect(text).toContain(`// ${part}`)
  // tsup alone makes some 150.
  expect(files.size).toBeLessThan(80)
})

test('publint reports nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true, pack: 'npm' })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the core runs without Node: no runtime module, no adapter and no adapter dependency is reachable', async () => {
  const { inputs, unbundled } = await bundleForEdge("export * from 'seine'")
  expect(unbundled).toEqual([])
  expect(inputs).toContain('dist/defaults/web-fetcher.js')
  expect(
    inputs.filter((path) => /^dist\/adapters\/|node_modules\/(unstorage|jose)\//.test(path)),
  ).toEqual([])
})

// Sizes are minified and in gzip, with dependencies. Raise them only on purpose.
test('the API is small at start: code for pages, jobs, exports and agents is loaded when first needed', async () => {
  const api = await bundleForEdge(
    "import { createPlatform } from 'seine'\nexport default createPlatform()",
  )
  expect(api.startGzip).toBeLessThan(120_000)
  // A Cloudflare Worker has its store and blobs in addition.
  const worker = await bundleForEdge(
    "import { createPlatform } from 'seine'\nimport { serve } from 'seine/cloudflare'\n" +
      'export default serve({ platform: () => createPlatform() })',
  )
  expect(worker.startGzip).toBeLessThan(125_000)
  // With everything of the MCP endpoint: the SDK, the six tools with their schemas, and the code
  // that makes their answers.
  expect(
    api.gzipWith(
      'endpoint',
      'api-tools',
      'sdk-server',
      'createAgentic',
      'createResults',
      'createMedia',
      'tool-list',
      'stream-call',
    ),
  ).toBeLessThan(250_000)
  // 40 KB that check what no server of ours asks for. On Node the SDK of 2026 has a copy of it. The
  // hash in the name of a chunk may contain these letters, too.
  const modules = api.inputs.filter((path) => !/^dist\/chunk-[a-z\d]{8}\.js$/.test(path))
  expect(modules.filter((path) => /ajv/i.test(path))).toEqual([])
  // With everything that is ever loaded, of which 480 KiB are pdf.js. Numbers, dates and schedules are
  // 8 KB; rates, standing, deletions, lists, the audit log and traces 22 KB; parameters of recipes,
  // files of tasks, provenance, usage by caller and agents' calls 25 KB;
  // relocation, all of XPath 1.0 and JSONPath, charsets and main content 15 KB; deletion of rows and
  // media and counts of lists 3 KB; dates in words, feeds, RDFa, microformats, products, tables and
  // lists 34 KB; comments, JSON and state as lists, proposals, snapshots and tables of documents
  // 23 KB; the operator's API 10 KB; the SDK of
  // MCP 2026-07-28 with more tools 75 KB; prompts, resources and tasks of agents, and files of
  // snapshots 10 KB; cookies of redirects, links around blocks, names and entities of feeds, and
  // dates of more languages 4 KB; words that multiply numbers 2 KB; texts in parts 1 KB; icons of
  // tools, links to rows, and streams of what becomes of tasks 2 KB; counts,
  // dates, persons and texts of items in lists, and the console without compression 3 KB;
  // the page of the MCP App 29 KB; events by mail, and rows that the console finds and sorts 5 KB;
  // bounds of long names and attributes, and searches and imports that give way 1 KB; the bytes of
  // datasets, and previews that end threads 2 KB; pages by reason and host, and what a server has
  // 1 KB; data of scripts, what repeats and is not a list, and words of counts 6 KB; budgets of
  // documents, and what PDFs unpack to 5 KB; recipes that are kept compiled 0.5 KB; how pages were
  // asked for, retries of those that failed, and next runs in lists 5 KB; answers of models that are
  // remembered 1 KB; verification and erasure for operators 3 KB; commits of large pages in turns,
  // and what PDFs draw again and again 2 KB; streams of Next.js, patterns in state and lines of a
  // name and a price 3 KB; dictionaries of PDFs 1 KB; large pages of helpers, and verification that
  // keeps little 2 KB; elements by the words beside them and past times of schedules 2 KB; names and
  // parts of tables in documents 2 KB; calls of agents in fewer steps, and metrics of the store 1 KB;
  // threads of forums, indexes, names for tests, pictures behind elements and pages in a noscript
  // 3 KB; parts that PDFs list again 1 KB; verification in passes, answers of tasks that are shared,
  // screenshots of kept pages and packed documents 2 KB.
  expect(api.allGzip).toBeLessThan(1_499_000)
})

test('planted: the check of the core notices an import of Node', async () => {
  const { unbundled } = await bundleForEdge("export * from 'seine/node'")
  expect(unbundled).toContain('node:http')
})

test('a host with TypeScript gets types from every entry', async () => {
  const imports = entries.map(
    ({ name }, index) =>
      `import * as entry${index} from '${name}'\nexport const names${index}` +
      `: readonly (keyof typeof entry${index})[] = []`,
  )
  const use =
    "import { createPlatform } from 'seine'\n" +
    'export const answer: Promise<Response> = createPlatform().fetch(new ' +
    "Request('http://localhost/'))"
  expect(await checkConsumer([...imports, use].join('\n'))).toEqual([])
})

test('planted: the check of types notices an error', async () => {
  expect(
    await checkConsumer(
      "import { createPlatform } from 'seine'\nexport const answer: string = createPlatform()\nimport 'seine/nowhere'",
    ),
  ).toHaveLength(2)
})

/** The files that a built file loads at its start, itself included, and the packages. */
async function loadedBy(entry: string) {
  const files = new Map<string, string>()
  const outside = new Set<string>()
  const read = async (path: string): Promise<void> => {
    if (files.has(path)) return
    const text = await readFile(path, 'utf8')
    files.set(path, text)
    for (const [, target = ''] of text.matchAll(
      /^(?:import|export) (?:[^'"]*? from )?['"]([^'"]+)['"]/gm,
    ))
      if (target.startsWith('.')) await read(join(dirname(path), target))
      else outside.add(target)
  }
  await read(entry)
  return { files, outside }
}
