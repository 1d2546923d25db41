import { pathToFileURL } from 'node:url'

const { SEINE_DIST } = process.env
const folder =
  SEINE_DIST === undefined ? new URL('../dist/', import.meta.url) : pathToFileURL(`${SEINE_DIST}/`)

/**
 * The address of a file of the built package, because this folder is a package of its own and has
 * no name for the one around it. `SEINE_DIST` names another build, to measure it with the same
 * scripts.
 */
export function built(path: string): string {
  return new URL(path, folder).href
}
