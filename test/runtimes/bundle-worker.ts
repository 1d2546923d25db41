import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { EDGE_OPTIONS } from '../support/sources/edge-options.ts'
import { CONTRACTS } from './bundle-host.ts'

/** Bundles a Worker as one module, like the tools of Cloudflare. */
export interface BundledWorker {
  readonly code: string
  readonly metafile: Metafile
}

/** Bundles a host of `hosts/` with the package in the project's `node_modules`. */
export async function bundleWorker(
  entry: string,
  folder: string,
  minify = false,
): Promise<BundledWorker> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: folder,
    alias: CONTRACTS.alias,
    nodePaths: [join(folder, 'node_modules'), ...CONTRACTS.nodePaths],
    ...EDGE_OPTIONS,
    minify,
    metafile: true,
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'error',
  })
  const [file] = outputFiles
  if (!file) throw new Error('esbuild wrote nothing')
  return { code: file.text, metafile }
}
