// Writes a bundle (MCPB) that desktop clients install with a click: `npm run mcpb -- FILE.mcpb`. It
// has the package as npm gets it, what it depends on, and a manifest that starts `seine mcp`.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import JSZip from 'jszip'
import { EXTENDED } from '../src/features/agentic/extended-tool-schema.ts'
import { TOOLS } from '../src/features/agentic/tool-schema.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const [out = `${project.name}-${project.version}.mcpb`] = process.argv.slice(2)
/** The same files make the same bundle, whenever it is made. */
const date = new Date(Date.UTC(2026, 0, 1))
/** Files that no program reads at run time. */
const NOT_RUN = /\.(?:map|[cm]?ts|md|markdown|flow)$|\/(?:tests?|__tests__|\.github)\//i
/** Licences ask to be passed on with what they are about. */
const LICENCE = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i
const isShipped = (path) => LICENCE.test(path) || !NOT_RUN.test(path)
const MAIN = 'server/dist/command/main.js'

const manifest = {
  manifest_version: '0.3',
  name: project.name,
  display_name: 'Seine',
  version: project.version,
  description: 'Pages of the web as tables: fetch, crawl and extract.',
  long_description:
    'Reads pages and files as Markdown, crawls sites, and makes tables of rows with recipes that can ' +
    'be run again and watched. It works on a folder of this computer, or passes everything on to a ' +
    'Seine elsewhere. It sends requests to the sites that it is asked to read, and to nobody else.',
  author: { name: 'Seine contributors', url: project.homepage },
  repository: { type: 'git', url: project.repository.url.replace(/^git\+/, '') },
  homepage: project.homepage,
  icon: 'icon.png',
  server: {
    type: 'node',
    entry_point: MAIN,
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/${MAIN}`, 'mcp', '--tools', '${user_config.tools}'],
      env: {
        SEINE_DATA: '${user_config.data}',
        SEINE_URL: '${user_config.url}',
        SEINE_KEY: '${user_config.key}',
      },
    },
  },
  tools: Object.entries({ ...TOOLS, ...EXTENDED }).map(([name, { description }]) => ({
    name,
    description,
  })),
  // A choice of tools, and the scopes of a key, leave some of them out.
  tools_generated: true,
  prompts_generated: true,
  keywords: project.keywords,
  license: project.license,
  compatibility: {
    platforms: ['darwin', 'win32', 'linux'],
    runtimes: { node: project.engines.node },
  },
  user_config: {
    data: {
      type: 'directory',
      title: 'Folder',
      description: 'Where tasks, rows and pages are kept, if no server elsewhere is named.',
      required: false,
      default: '${HOME}/seine',
    },
    tools: {
      type: 'string',
      title: 'Tools',
      description: 'extended for all tools, or names with commas between.',
      required: false,
      default: 'extended',
    },
    url: {
      type: 'string',
      title: 'Server',
      description: 'Address of a Seine elsewhere, which then does the work.',
      required: false,
      default: '',
    },
    key: {
      type: 'string',
      title: 'API key',
      description: 'A key of that server, with scopes of the family mcp:*.',
      required: false,
      sensitive: true,
      default: '',
    },
  },
}

const zip = new JSZip()
const add = async (name, path) =>
  zip.file(name, await readFile(path), { date, createFolders: false })

zip.file('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`, { date, createFolders: false })
await add('icon.png', join(root, 'docs/pictures/icon.png'))
for (const path of packedFiles()) await add(`server/${path}`, join(root, path))
for (const folder of await dependencies())
  for (const path of await filesOf(folder)) await add(`server/${path}`, join(root, path))
const bytes = await zip.generateAsync({
  type: 'nodebuffer',
  compression: 'DEFLATE',
  compressionOptions: { level: 9 },
})
await writeFile(out, bytes)
console.log(`${out}: ${Object.keys(zip.files).length} files, ${(bytes.length / 1e6).toFixed(1)} MB`)
// To be published beside it: bundles are not signed (decisions/050).
console.log(`sha256 ${createHash('sha256').update(bytes).digest('hex')}`)

/** The files of the package as it would be published, without declarations and examples. */
function packedFiles() {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(packed)
  return files
    .map(({ path }) => path)
    .filter((path) => /^(?:dist\/|package\.json$|LICENSE$)/.test(path) && isShipped(path))
}

/** Folders of the packages that the package needs, with all that these need: those of the lock. */
async function dependencies() {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(lock.packages)
    .filter(([path]) => path.startsWith('node_modules/'))
    .filter(
      ([, { dev, devOptional, optional, peer, link }]) =>
        !(dev || devOptional || optional || peer || link),
    )
    .map(([path]) => path)
}

/** Files of a package, without those of packages inside it. */
async function filesOf(folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !path.slice(folder.length).includes('/node_modules/') && isShipped(path))
}
