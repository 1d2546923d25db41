import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * The replacement of vitest where vitest does not run. It and fast-check, which users of
 * `seine/testing` bring themselves, come from here.
 */
export const CONTRACTS = {
  alias: { vitest: join(import.meta.dirname, 'contracts/vitest.ts') },
  nodePaths: [join(import.meta.dirname, '../../node_modules')],
}

/**
 * Bundles a host with the cases, but without the package, which the runtime finds in the project's
 * `node_modules`. For contract suites (`…-contracts` and the like) `seine/testing` is bundled as
 * well, as it imports vitest. Returns the file.
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
    // `browser`: without it a dependency of the Parquet writer uses its files for Node, which cannot
    // be in a bundle.
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
    // Otherwise esbuild would resolve `seine` by the paths of tsconfig.json.
    tsconfigRaw: {},
    logLevel: 'error',
  })
  return outfile
}
