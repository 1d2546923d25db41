import type { BuildOptions } from 'esbuild'

/** How the tools of edge runtimes bundle a host's code. */
export const EDGE_OPTIONS = {
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser', 'import'],
  // esbuild would take `#fetcher` from the paths of tsconfig.json, which a host does not have.
  tsconfigRaw: {},
} as const satisfies BuildOptions
