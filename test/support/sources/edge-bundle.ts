import { basename, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { EDGE_OPTIONS } from './edge-options.ts'
import { root } from './sources.ts'

/** Nothing is written there. */
const OUT = join(root, 'dist/.edge')
const HASH = /-[a-z\d]{8}\.js$/

/**
 * The bundle that an edge runtime's tools make of some code with all that it needs: minified, in
 * parts that are loaded when they are imported.
 */
export interface EdgeBundle {
  /** Files that it is made of, from the repository's root. */
  readonly inputs: readonly string[]
  /** Modules that the runtime has to have. */
  readonly unbundled: readonly string[]
  /** Bytes that are loaded at once. */
  readonly startBytes: number
  /** The same in gzip, each part by itself. */
  readonly startGzip: number
  /** All parts, in gzip. */
  readonly allGzip: number
  /**
   * The size of all that is loaded at once, and with these modules too, which are imported when
   * they are needed; in gzip. A module is named by its file, or by an export of it if several files
   * have one name.
   *
   * @throws {Error} where there is no such part
   */
  gzipWith(...modules: readonly string[]): number
}

/** Bundles a host's code, which finds the package under its name. */
export async function bundleForEdge(contents: string): Promise<EdgeBundle> {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'host.js' },
    absWorkingDir: root,
    ...EDGE_OPTIONS,
    splitting: true,
    outdir: OUT,
    metafile: true,
    minify: true,
    external: ['node:*', 'bun:*', 'cloudflare:*'],
    logLevel: 'silent',
  })
  const files = new Map(outputFiles.map((file) => [relative(root, file.path), file.contents]))
  const sizeOf = (paths: Iterable<string>, size: (bytes: Uint8Array) => number): number =>
    [...paths].reduce((sum, path) => sum + size(files.get(path) ?? new Uint8Array()), 0)
  const gzip = (bytes: Uint8Array): number => gzipSync(bytes).byteLength
  const entry = [...files.keys()].filter((path) => basename(path) === 'stdin.js')
  const start = loadedWith(metafile, entry)
  return {
    inputs: Object.keys(metafile.inputs),
    unbundled: Object.values(metafile.outputs).flatMap((output) =>
      output.imports.filter(({ external }) => external).map(({ path }) => path),
    ),
    startBytes: sizeOf(start, (bytes) => bytes.byteLength),
    startGzip: sizeOf(start, gzip),
    allGzip: sizeOf(files.keys(), gzip),
    gzipWith(...modules) {
      const parts = modules.map((name) => {
        const own = Object.keys(metafile.outputs).filter((path) => {
          const { entryPoint = '', exports = [] } = metafile.outputs[path] ?? {}
          return basename(entryPoint).replace(HASH, '') === name || exports.includes(name)
        })
        if (own.length === 0) throw new Error(`There is no part ${name}`)
        return own
      })
      return sizeOf(loadedWith(metafile, [...entry, ...parts.flat()]), gzip)
    },
  }
}

/** Outputs, those that they import, and so on; not those that are imported when they are needed. */
function loadedWith({ outputs }: Metafile, entries: readonly string[]): Set<string> {
  const paths = new Set(entries)
  for (const path of paths)
    for (const used of outputs[path]?.imports ?? [])
      if (used.kind === 'import-statement' && used.external !== true) paths.add(used.path)
  return paths
}
