// Builds the console's app into modules that hold its packed files, so that it is served without a file system.
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

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
    format: 'esm',
    target: ['es2023', 'chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
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
      gzip: gzipSync(contents, { level: 9 }).toString('base64'),
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

/** Writes `console/assets.js` below `dist`, and a module for each file, loaded when it is asked for. */
export async function buildConsole(root, dist) {
  const { files, boot, script, style, preloads } = await bundleConsole(root)
  await mkdir(join(dist, 'console'), { recursive: true })
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
