import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { plantAll, readMutants } from '../mutants/mutants.ts'
import { root } from '../support/sources/sources.ts'

// Bundles the simulator with all its modules into one file, so that no module is loading while a
// world is played, and runs it.

// --plant TEXT: with each bug of test/mutants whose area and name contain the text.
const index = process.argv.indexOf('--plant')
const text = index === -1 ? null : process.argv.splice(index, 2)[1]
const planted = new Map(
  (text === null
    ? []
    : plantAll(readMutants().filter(({ area, name }) => `${area} ${name}`.includes(text ?? '')))
  ).map((bug) => [join(root, bug.file), bug]),
)
for (const { area, name } of planted.values()) console.log(`planted: ${area}: ${name}`)

const folder = mkdtempSync(join(tmpdir(), 'seine-simulate-'))
process.on('exit', () => process.env['KEEP'] || rmSync(folder, { recursive: true, force: true }))
const pathOf = (path: string): string => join(root, path)
await build({
  entryPoints: [pathOf('test/simulate/main.ts')],
  outfile: join(folder, 'main.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  alias: {
    '#fetcher': pathOf('src/defaults/web-fetcher.ts'),
    '#page-processor': pathOf('test/support/worlds/inline-pages.ts'),
    '#document-reader': pathOf('src/defaults/document-reader.ts'),
    '#short-digest': pathOf('src/defaults/short-digest.ts'),
    '#console': pathOf('src/console/absent.ts'),
    seine: pathOf('src/index.ts'),
  },
  plugins: [
    {
      name: 'plant',
      setup({ onLoad }) {
        onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
          const bug = planted.get(path)
          return bug && { contents: bug.text, loader: 'ts' }
        })
      },
    },
  ],
  logLevel: 'error',
})
await import(pathToFileURL(join(folder, 'main.mjs')).href)
