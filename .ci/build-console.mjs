// Builds the console's app into modules that hold its packed files, so that it is served without a file system.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minifySync } from 'oxc-minify'

const COMMON = {
  format: 'esm',
  target: ['es2023', 'chrome120', 'firefox120', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
}
/** The syntax that oxc may write: that of the targets above, so it makes nothing older. */
const SMALLER = {
  module: true,
  compress: { target: ['es2023', 'chrome120', 'firefox120', 'safari17'] },
  mangle: { toplevel: true },
}
/** The packer and its settings: others give other bytes. */
const PACKER = 'zopfli-1.0.15-15'
const TYPES = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' }

/** Packs bytes by gzip at once: for tests, which look at what is in a file and not at its size. */
const packFast = async (bytes) => gzipSync(bytes, { level: 9, memLevel: 9 })

/**
 * Packs bytes by Zopfli, which writes gzip that is 4 % smaller and takes seconds for it. So each
 * result is kept, under the hash of what was packed.
 */
export async function packSmall(root, bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex')
  const folder = join(root, 'node_modules/.cache/console', PACKER)
  const path = join(folder, `${hash}.gz`)
  const before = await readFile(path).catch(() => null)
  if (before !== null) return before
  const { gzipAsync } = await loadZopfli()
  const packed = Buffer.from(await gzipAsync(bytes, { numiterations: 15 }))
  await mkdir(folder, { recursive: true })
  // Another build may read it meanwhile: it is there whole, or not at all.
  await writeFile(`${path}.${process.pid}`, packed)
  await rename(`${path}.${process.pid}`, path)
  return packed
}

/**
 * Loads Zopfli without what it adds to the process: with its listeners, each error of the build
 * would print its whole script.
 */
async function loadZopfli() {
  const events = ['uncaughtException', 'unhandledRejection']
  const before = events.map((event) => process.listeners(event))
  const { default: zopfli } = await import('@gfx/zopfli')
  for (const [index, event] of events.entries())
    for (const listener of process.listeners(event))
      if (!before[index].includes(listener)) process.off(event, listener)
  return zopfli
}

/**
 * Bundles the console's app. Returns its files, each packed, and the names of those that its page
 * begins with. Names have a hash of what is in the file.
 */
export async function bundleConsole(root, pack = packFast) {
  const { version } = JSON.parse(
    await readFile(join(root, 'node_modules/oxc-minify/package.json'), 'utf8'),
  )
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    // The names have a hash of what oxc gets. So its version is in that, too, and is taken out by it.
    banner: { js: `// ${JSON.stringify([version, SMALLER])}` },
    entryPoints: {
      boot: 'src/console/app/boot.ts',
      main: 'src/console/app/main.tsx',
      style: 'src/console/app/style.css',
    },
    bundle: true,
    splitting: true,
    ...COMMON,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: 'console',
    metafile: true,
    write: false,
  })
  const nameOf = (entry) =>
    basename(Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry)[0])
  return {
    files: await Promise.all(
      outputFiles.map(async ({ path, text }) => ({
        name: basename(path),
        type: TYPES[extname(path)],
        gzip: (await pack(Buffer.from(smaller(path, text)))).toString('base64'),
      })),
    ),
    boot: nameOf('src/console/app/boot.ts'),
    script: nameOf('src/console/app/main.tsx'),
    style: nameOf('src/console/app/style.css'),
    preloads: importsOf(metafile, nameOf('src/console/app/main.tsx')),
    packages: packagesOf(metafile),
  }
}

/** The packages whose code is in a bundle. */
function packagesOf({ inputs }) {
  const names = Object.keys(inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/[^\n]*$/.exec(path)?.[1],
  )
  return new Set(names.filter((name) => name !== undefined))
}

/**
 * A script once more through another minifier, which finds what esbuild leaves: 2 % of the packed
 * bytes.
 */
function smaller(path, text) {
  if (extname(path) !== '.js') return text
  const { code, errors } = minifySync(basename(path), text, SMALLER)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  return code
}

/**
 * The files that a script imports at once: without their names a browser asks for them one step
 * later.
 */
function importsOf({ outputs }, script) {
  const found = new Set()
  const add = (path) => {
    for (const { path: other, kind } of outputs[path].imports) {
      if (kind !== 'import-statement' || found.has(basename(other))) continue
      found.add(basename(other))
      add(other)
    }
  }
  add(Object.keys(outputs).find((path) => basename(path) === script))
  return [...found]
}

/**
 * The policy that hosts of MCP Apps have to begin with: no network, nothing but what is in the
 * page.
 */
const APP_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
  "base-uri 'none'; form-action 'none'"

/**
 * Bundles the view of the MCP App into one page, packed: a frame in a chat loads nothing else. It
 * has the words of all languages.
 */
export async function bundleMcpApp(root) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      script: 'src/console/app/agent/agent-view.tsx',
      style: 'src/console/app/agent/agent-view.css',
    },
    bundle: true,
    ...COMMON,
    outdir: 'mcp-app',
    metafile: true,
    write: false,
  })
  const textOf = (type) => outputFiles.find(({ path }) => extname(path) === type).text
  const [script, style] = [textOf('.js'), textOf('.css')]
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error('The view of the MCP App would end its own element')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${APP_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Seine</title>
<style>${style}</style>
</head>
<body>
<main id="app"></main>
<script type="module">${script}</script>
</body>
</html>
`
  return {
    gzip: gzipSync(page, { level: 9 }).toString('base64'),
    packages: packagesOf(metafile),
  }
}

/**
 * Writes `console/assets.js` below `dist`, and a module for each file, loaded when it is asked for;
 * and `console/mcp-app.js`. Returns the packages whose code is in them.
 */
export async function buildConsole(root, dist) {
  const [{ files, boot, script, style, preloads, packages }, { gzip: page, packages: more }] =
    await Promise.all([bundleConsole(root, (bytes) => packSmall(root, bytes)), bundleMcpApp(root)])
  await mkdir(join(dist, 'console'), { recursive: true })
  await writeFile(
    join(dist, 'console/mcp-app.js'),
    `export const app = ${JSON.stringify({ gzip: page })}\n`,
  )
  const loaders = await Promise.all(
    files.map(async ({ name, type, gzip }) => {
      const module = `asset-${name.replaceAll('.', '-')}.js`
      await writeFile(
        join(dist, 'console', module),
        `export const asset = ${JSON.stringify({ type, gzip })}\n`,
      )
      return `${JSON.stringify(name)}: () => import('./${module}')`
    }),
  )
  await writeFile(
    join(dist, 'console/assets.js'),
    `export const assets = {
  files: { ${loaders.join(', ')} },
  boot: ${JSON.stringify(boot)},
  script: ${JSON.stringify(script)},
  style: ${JSON.stringify(style)},
  preloads: ${JSON.stringify(preloads)},
}
`,
  )
  return packages.union(more)
}
