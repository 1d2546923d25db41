import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'
import { array, object, parse, picklist, string } from 'valibot'
import { plantAll } from '../mutants/mutants.ts'
import { root } from '../support/sources/sources.ts'

const bug = object({
  /** The wrong behaviour of a store, in one sentence. */
  name: string(),
  store: picklist(['sqlite', 'redis', 'postgres', 'd1', 'object']),
  /** Code of `adapters` that occurs once, and code in its place. */
  find: string(),
  put: string(),
})

/** Reads the list of bugs that histories must show. */
export function readHistoryBugs() {
  const text = readFileSync(new URL('./bugs.json', import.meta.url), 'utf8')
  return parse(array(bug), JSON.parse(text))
}

/** Bundles a script with a bug in it, beside the packages that it needs; it goes with this process. */
export async function bundleWithBug(script: string, name: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `histories-${process.pid}.mjs`)
  process.on('exit', () => rmSync(outfile, { force: true }))
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    plugins: [plantPlugin(name)],
    logLevel: 'error',
  })
  return outfile
}

/** Puts a bug of the list into a bundle; `null` puts none. */
export function plantPlugin(name: string | null): Plugin {
  const listed = readHistoryBugs().find((one) => one.name === name)
  if (name !== null && !listed)
    throw new Error(`No bug of test/histories/bugs.json is named ${name}`)
  const planted = listed ? plantAll([{ ...listed, area: listed.store, tests: [] }]) : []
  return {
    name: 'plant',
    setup({ onLoad }) {
      onLoad({ filter: /\/adapters\/.*\.ts$/ }, ({ path }) => {
        const mutant = planted.find(({ file }) => path === join(root, file))
        return mutant && { contents: mutant.text, loader: 'ts' }
      })
    },
  }
}
