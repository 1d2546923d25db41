import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Aliases } from './imports.ts'
import { root } from './sources.ts'

/** The part of package.json that the tests read. */
interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly default: string }>
  >
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** The repository's package.json. */
export const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** One importable entry of the package. */
export interface Entry {
  /** The name that a host writes: `seine`, `seine/node`. */
  readonly name: string
  readonly source: string
  /** Built module, from the repository's root. */
  readonly built: string
  readonly types: string
}

/** The entries that package.json exports, with the sources that they are built from. */
export const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(
  ([subpath, target]) => {
    if (typeof target === 'string') return []
    const source = target.types.replace('./dist/types/', '').replace(/\.d\.ts$/, '.ts')
    return [
      {
        name: subpath.replace(/^\./, 'seine'),
        source,
        built: target.default.slice(2),
        types: target.types.slice(2),
      },
    ]
  },
)

/** The sources of `seine`, `seine/…` and `#…`. */
export const aliases: Aliases = {
  ...Object.fromEntries(entries.map(({ name, source }) => [name, [source]])),
  ...Object.fromEntries(
    Object.entries(manifest.imports).map(([name, conditions]) => [
      name,
      [...new Set(Object.values(conditions).map(sourceOf))],
    ]),
  ),
}

function sourceOf(built: string): string {
  const path = built.replace('./dist/', '').replace(/\.js$/, '.ts')
  return path.startsWith('adapters/') ? path : `src/${path}`
}
