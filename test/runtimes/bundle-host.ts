import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * What stands for vitest where it does not run; it and fast-check, which users of `seine/testing`
 * bring, come from here.
 */
export const CONTRACTS = {
  alias: { vitest: join(import.meta.dirname, 'contracts/vitest.ts') },
  nodePaths: [join(import.meta.dirname, '../../node_modules')],
}

/**
 * Bundles a host with the cases, but not with the package: the runtime finds that in the project's
 * `node_modules`. Of contract suites (`…-contracts` and the like), `seine/testing` is taken in, as
 * it asks for vitest. Gives the file.
 */
export async function bundleHost(host: string, folder: string): Promise<string> {
  const isContract = !/^\w+$/.test(host)
  const outfile = join(folder, `${host}.js`)
  await build({
    entryPoints: [join(import.meta.dirname, 'hosts', `${host}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // `browser`: a dependency of the Parquet writer has its files of Node without it, which a
    // bundle cannot have.
    conditions: isContract ? ['import', 'browser'] : ['import'],
    external: [
      'node:*',
      'bun:*',
      ...(isContract
        ? ['seine/sqlite', 'seine/bun', 'seine/deno', 'seine/unstorage']
        : ['seine', 'seine/*']),
    ],
    ...(isContract && {
      ...CONTRACTS,
      nodePaths: [join(folder, 'node_modules'), ...CONTRACTS.nodePaths],
    }),
    // esbuild would take `seine` from the paths of tsconfig.json.
    tsconfigRaw: {},
    logLevel: 'error',
  })
  return outfile
}
