import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { plantAll, readMutants } from '../mutants/mutants.ts'
import { mutantOf, readBugs } from './bugs.ts'
import type { Bug } from './bugs.ts'
import { withRareSizes } from './later/rare.ts'
import { root } from '../support/sources/sources.ts'

// Bundles the simulator with all its modules into one file, so that no module is loading while a
// world is played, and runs it.

// --plant TEXT: with each bug of test/mutants whose area and name contain the text.
// --bug NAME: with this bug of bugs.json.
const text = takeOption('--plant')
const bug = takeOption('--bug')
const planted = new Map(
  plantAll([
    ...(text === null
      ? []
      : readMutants().filter(({ area, name }) => `${area} ${name}`.includes(text))),
    ...(bug === null ? [] : [mutantOf(bugNamed(bug))]),
  ]).map((mutant) => [join(root, mutant.file), mutant]),
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
          const contents = planted.get(path)?.text ?? readFileSync(path, 'utf8')
          const file = relative(root, path)
          return { contents: withRareSizes(file, contents), loader: 'ts' }
        })
      },
    },
  ],
  logLevel: 'error',
})
await import(pathToFileURL(join(folder, 'main.mjs')).href)

/** The value of an option that is not for the worlds. */
function takeOption(name: string): string | null {
  const index = process.argv.indexOf(name)
  return index === -1 ? null : (process.argv.splice(index, 2)[1] ?? '')
}

function bugNamed(name: string): Bug {
  const listed = readBugs().find((one) => one.name === name)
  if (!listed) throw new Error(`No bug of bugs.json is named ${name}`)
  return listed
}
