import type { Import } from './imports.ts'

/** Which layer may import which others (decisions/001-layers.md). Its own layer goes without saying. */
export const LAYERS = {
  kernel: [],
  ports: ['kernel'],
  engine: ['kernel', 'ports'],
  records: ['kernel', 'ports'],
  defaults: ['kernel', 'ports', 'records'],
  features: ['kernel', 'ports', 'engine', 'records', 'defaults'],
  http: ['kernel', 'ports', 'engine', 'records', 'defaults', 'features'],
  mcp: ['kernel', 'ports', 'engine', 'records', 'defaults', 'features'],
  crawl: ['kernel', 'ports', 'engine', 'records', 'defaults', 'features'],
  worker: ['kernel', 'ports', 'engine', 'records', 'defaults', 'features', 'crawl'],
  client: ['kernel', 'engine', 'features'],
  console: ['kernel', 'ports', 'defaults', 'client'],
  platform: [
    'kernel',
    'ports',
    'engine',
    'records',
    'defaults',
    'features',
    'http',
    'mcp',
    'console',
    'crawl',
    'worker',
  ],
  index: [
    'kernel',
    'ports',
    'engine',
    'records',
    'defaults',
    'features',
    'http',
    'mcp',
    'console',
    'crawl',
    'worker',
    'platform',
  ],
  adapter: ['kernel', 'ports'],
} as const satisfies Record<string, readonly string[]>

/** Packages that the build puts into the console's files: nobody installs them. */
const BUNDLED: ReadonlySet<string> = new Set([
  'preact',
  '@preact/signals',
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  'uplot',
])

/** The name of a layer. */
export type Layer = keyof typeof LAYERS

/**
 * The folders and files that may import a dependency, as patterns. One that is not named here may
 * be imported by no file of src/, and by adapters only: name it here and in
 * decisions/003-dependencies.md.
 */
export const VENDORS: Readonly<Record<string, readonly RegExp[]>> = {
  '@preact/signals': [/^src\/console\/app\//],
  '@codemirror/autocomplete': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/commands': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/lang-json': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/language': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/lint': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/state': [/^src\/console\/app\/builder\/json-/],
  '@codemirror/view': [/^src\/console\/app\/builder\/json-/],
  '@lezer/highlight': [/^src\/console\/app\/builder\/json-/],
  preact: [/^src\/console\/app\//],
  uplot: [/^src\/console\/app\/charts\/plot\.ts$/],
  '@noble/hashes': [/^src\/defaults\//],
  '@modelcontextprotocol/sdk': [/^src\/mcp\//],
  '@modelcontextprotocol/server': [/^src\/mcp\/modern-era\.ts$/],
  '@valibot/to-json-schema': [
    /^src\/http\/openapi\//,
    /^src\/features\/(agentic|templates)\//,
    /^adapters\/command\/config\.ts$/,
  ],
  aws4fetch: [/^adapters\/s3\//],
  // Peers of `seine/testing` alone.
  'fast-check': [],
  vitest: [],
  bullmq: [/^adapters\/bullmq\//],
  croner: [/^src\/features\/schedules\//],
  'css-select': [/^src\/engine\//],
  'css-what': [/^src\/engine\//],
  domhandler: [/^src\/engine\//],
  domutils: [/^src\/engine\//],
  entities: [/^src\/engine\//, /^adapters\/s3\//],
  'eventsource-parser': [/^src\/kernel\/http\/event-reader\.ts$/],
  'get-east-asian-width': [/^adapters\/command\//],
  'html-encoding-sniffer': [/^src\/engine\//],
  htmlparser2: [/^src\/engine\//],
  'hyparquet-writer': [/^src\/engine\/export\/parquet\//],
  'itty-router': [/^src\/http\//],
  // The client is injected: no file of the adapter names it, but the command makes one.
  ioredis: [/^adapters\/command\/(?:ask-server|open-services)\.ts$/],
  pg: [/^adapters\/command\/(?:ask-server|open-services)\.ts$/],
  jose: [/^adapters\/jose\//],
  '@opentelemetry/api': [/^adapters\/opentelemetry\//],
  nodemailer: [/^adapters\/smtp\//],
  'playwright-core': [/^adapters\/playwright\//],
  re2js: [/^src\/engine\/extract\//],
  unpdf: [/^src\/engine\/pdf\//],
  hucre: [/^adapters\/common\/office\//],
  jszip: [/^adapters\/common\/office\//],
  mammoth: [/^adapters\/common\/office\//],
  'tldts-icann': [/^src\/engine\//],
  ulid: [/^src\/kernel\//],
  unstorage: [/^adapters\/unstorage\//],
  valibot: [
    /^src\/(kernel|http|engine\/recipe|features\/templates)\//,
    /^src\/(engine|features)\/(.*\/)?(\w[\w-]*-)?schema\.ts$/,
    /^src\/features\/[\w-]+\/answers\.ts$/,
    /^adapters\/command\/settings\//,
  ],
}

/** The layer of a source, or null where it is in none. */
export function layerOf(path: string): Layer | null {
  if (path.startsWith('adapters/')) return 'adapter'
  if (path === 'src/index.ts') return 'index'
  if (path === 'src/client.ts') return 'client'
  if (path === 'src/engine.ts') return 'engine'
  if (path === 'src/console.ts') return 'console'
  if (path === 'src/backup.ts') return 'index'
  const folder = /^src\/(\w+)\//.exec(path)?.[1]
  return isFolder(folder) ? folder : null
}

function isFolder(name: string | undefined): name is Layer {
  return name !== undefined && name in LAYERS && name !== 'adapter' && name !== 'index'
}

/** Files of an adapter that may import the package by its name, as a host does. */
const HOSTS = /^adapters\/command\/|^adapters\/[\w-]+\/serve[\w-]*(\.ts$|\/)/

/**
 * Files of an adapter that process pages, which takes the engine: by its entry, as the thread runs
 * from sources too, where the package has no name.
 */
const PROCESSORS = /^adapters\/[\w-]+\/page-[\w-]+\.ts$/

/**
 * The entry of a page thread takes the two works of the engine by their files. By the engine's
 * entry it would begin with PDFs and exports too: a bundler divides code by what a file reaches,
 * used or not.
 */
const THREADS = /^adapters\/[\w-]+\/page-thread\.ts$/
const WORKS: ReadonlySet<string> = new Set([
  'src/engine/page-work.ts',
  'src/engine/export/open-row-work.ts',
])

/** Files that import by a computed name. */
const LOADERS: readonly string[] = [
  // The file of settings that its user has written.
  'adapters/command/settings/read-settings.ts',
  // The console's first script, whose name the page says.
  'src/console/app/boot.ts',
]

/** Modules that the build writes. They are the same for all runtimes. */
const WRITTEN: ReadonlySet<string> = new Set(['#console-assets', '#mcp-app'])

/** The only value that the client takes from below: it loads it with its first stream. */
const EVENTS = 'src/kernel/http/event-reader.ts'

/** Files of an adapter that make views of a database, and what tells them of which records. */
const REPORTERS = /^adapters\/[\w-]+\/views\.ts$/
const REPORTS = 'src/features/report-views.ts'

/** Every import that the table does not allow, with the reason. */
export function findViolations(
  imports: readonly Import[],
  dependencies: readonly string[],
): string[] {
  return imports.flatMap((entry) => {
    const reason = refusal(entry, dependencies)
    return reason ? [`${entry.from} -> ${entry.specifier}: ${reason}`] : []
  })
}

function refusal(entry: Import, dependencies: readonly string[]): string | null {
  const layer = layerOf(entry.from)
  if (!layer) return 'the file is in no layer'
  switch (entry.kind) {
    case 'missing':
      return LOADERS.includes(entry.from) ? null : 'leads to no file'
    case 'seam':
      return layer === 'platform' || WRITTEN.has(entry.specifier)
        ? null
        : 'only the platform takes a runtime default'
    case 'runtime':
      return layer === 'adapter' ? null : 'src uses web standards alone'
    case 'package':
      return refusePackage(entry, layer, dependencies)
    case 'file':
      return refuseFile(entry, layer)
  }
}

function refusePackage(
  { from, target }: Import,
  layer: Layer,
  dependencies: readonly string[],
): string | null {
  // The build puts it into the console's own files.
  if (BUNDLED.has(target)) return null
  // Types too: a declaration that names a package makes its user need it.
  if (!dependencies.includes(target)) return 'is no dependency of the package'
  const patterns = VENDORS[target] ?? [/^adapters\//]
  return patterns.some((pattern) => pattern.test(from))
    ? null
    : `is confined to other folders than ${layer}'s`
}

function refuseFile({ from, specifier, target, typeOnly }: Import, layer: Layer): string | null {
  const byName = !specifier.startsWith('.')
  if (byName)
    return HOSTS.test(from) ? null : 'only the command and serve import the package by its name'
  if (/(^|\/)index\.ts$/.test(target)) return 'nobody imports an index'
  const other = layerOf(target)
  if (!other) return 'leads to a file in no layer'
  if (target === 'src/engine.ts')
    return PROCESSORS.test(from) ? null : 'only page processors import the engine entry'
  if (WORKS.has(target) && THREADS.test(from)) return null
  if (target === REPORTS && layer === 'adapter')
    return REPORTERS.test(from) ? null : 'only what makes views knows records'
  if (layer === 'adapter' && other === 'adapter')
    return [technology(from), COMMON].includes(technology(target))
      ? null
      : 'adapters never import one another'
  if (layer === 'client' && other !== 'client' && !typeOnly && target !== EVENTS)
    return 'the client takes types alone'
  if (layer === 'features' && other === 'features' && !mayMeet(from, target))
    return 'features meet through service.ts, records.ts and schemas'
  if (other === layer || LAYERS[layer].some((name) => name === other)) return null
  return `${layer} may not import ${other}`
}

/**
 * How a feature is known to its siblings: by its service, its schemas, what it stores, and the
 * writes and reads that others make of it. `common`, `limits` and `ledger` belong to all, as do
 * files beside the folders; `verify` looks at everything.
 */
function mayMeet(from: string, target: string): boolean {
  const folder = /^src\/features\/([\w-]+)\//.exec(target)?.[1]
  if (
    !folder ||
    BASE.has(folder) ||
    from.startsWith(`src/features/${folder}/`) ||
    from.startsWith('src/features/verify/')
  )
    return true
  // The file that opens the records of all features, and the one that reports on them.
  if (/^src\/features\/[\w-]+\.ts$/.test(from)) return target.endsWith('records.ts')
  if (from.endsWith('/examples.ts') && target.endsWith('/examples.ts')) return true
  return (
    target.endsWith('schema.ts') ||
    target.endsWith('/answers.ts') ||
    /\/(service|([\w-]+-)?records|lifecycle|execution|task|row-reader|kept-pages)\.ts$/.test(target)
  )
}

/** Features that all others stand on. */
const BASE = new Set(['common', 'limits', 'ledger'])

/**
 * The common parts of adapters of one kind: SQLite however it is driven, a server of whatever
 * runtime. It is not an adapter itself.
 */
const COMMON = 'common'

const technology = (path: string) => path.split('/')[1]
