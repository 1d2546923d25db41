// Builds the console's app into modules that hold its packed files, so that it is served without a file system.
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const COMMON = {
  format: 'esm',
  target: ['es2023', 'chrome120', 'firefox120', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
}
const TYPES = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' }

/**
 * Bundles the console's app. Returns its files, each packed, and the names of those that its page
 * begins with. Names have a hash of what is in the file.
 */
export async function bundleConsole(root) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
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
    files: outputFiles.map(({ path, contents }) => ({
      name: basename(path),
      type: TYPES[extname(path)],
      gzip: gzipSync(contents, { level: 9, memLevel: 9 }).toString('base64'),
    })),
    boot: nameOf('src/console/app/boot.ts'),
    script: nameOf('src/console/app/main.tsx'),
    style: nameOf('src/console/app/style.css'),
    preloads: importsOf(metafile, nameOf('src/console/app/main.tsx')),
  }
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
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      script: 'src/console/app/agent/agent-view.tsx',
      style: 'src/console/app/agent/agent-view.css',
    },
    bundle: true,
    ...COMMON,
    outdir: 'mcp-app',
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
  return { gzip: gzipSync(page, { level: 9 }).toString('base64') }
}

/**
 * Writes `console/assets.js` below `dist`, and a module for each file, loaded when it is asked for;
 * and `console/mcp-app.js`.
 */
export async function buildConsole(root, dist) {
  const [{ files, boot, script, style, preloads }, app] = await Promise.all([
    bundleConsole(root),
    bundleMcpApp(root),
  ])
  await mkdir(join(dist, 'console'), { recursive: true })
  await writeFile(join(dist, 'console/mcp-app.js'), `export const app = ${JSON.stringify(app)}\n`)
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
}
