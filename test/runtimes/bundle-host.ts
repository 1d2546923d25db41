import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles a host with the cases, but not with the package: the runtime finds that in the project's `node_modules`. Gives the file. */
export async function bundleHost(host: string, folder: string): Promise<string> {
  const outfile = join(folder, `${host}.js`)
  await build({
    entryPoints: [join(import.meta.dirname, 'hosts', `${host}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    external: ['node:*', 'bun:*', 'seine', 'seine/*'],
    // esbuild would take `seine` from the paths of tsconfig.json.
    tsconfigRaw: {},
    logLevel: 'warning',
  })
  return outfile
}
