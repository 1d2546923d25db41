import { build } from 'esbuild'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** A Worker on disk. */
export interface Bundle {
  /** Its modules; the first is the main one. */
  readonly modules: readonly string[]
  /** The size of the code that is compiled at the start, compressed. */
  readonly gzipKiB: number
}

/** The options of the bundle of a Worker. */
export interface BundleOptions {
  /**
   * Code that is imported when needed stays in modules of its own. Otherwise everything is one
   * module, like with Wrangler.
   */
  readonly isSplit?: boolean
  /** Leaves pdf.js out, by an alias, as Wrangler has it too. */
  readonly withoutPdf?: boolean
}

/** Bundles `workers/<name>.ts` into a folder, minified, with Seine as it is built. */
export async function bundle(
  name: string,
  folder: string,
  { isSplit = false, withoutPdf = false }: BundleOptions,
): Promise<Bundle> {
  const built = (path: string) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url))
  await mkdir(folder, { recursive: true })
  const { outputFiles, metafile } = await build({
    entryPoints: { worker: fileURLToPath(new URL(`./workers/${name}.ts`, import.meta.url)) },
    alias: {
      'seine/cloudflare': built('adapters/cloudflare/index.js'),
      seine: built('index.js'),
      ...(withoutPdf && {
        'unpdf/pdfjs': fileURLToPath(new URL('./workers/no-pdf.ts', import.meta.url)),
      }),
    },
    bundle: true,
    splitting: isSplit,
    outdir: folder,
    absWorkingDir: folder,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser', 'import'],
    external: ['node:*', 'cloudflare:*'],
    tsconfigRaw: {},
    logLevel: 'error',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  for (const [file, contents] of files) await writeFile(join(folder, file), contents)
  const atOnce = new Set(['worker.js'])
  for (const file of atOnce)
    for (const { kind, path, external } of metafile.outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) atOnce.add(basename(path))
  const bytes = [...atOnce].reduce(
    (sum, file) => sum + gzipSync(files.get(file) ?? '').byteLength,
    0,
  )
  return {
    modules: ['worker.js', ...[...files.keys()].filter((file) => file !== 'worker.js')],
    gzipKiB: bytes / 1024,
  }
}
