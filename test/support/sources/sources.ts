import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source texts by their path from the repository's root, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>

/** The repository's root. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Reads the TypeScript files of some folders, `.tsx` among them; a folder that does not exist has
 * none.
 */
export function readSources(...folders: readonly string[]): Sources {
  const paths = listFiles(...folders).filter((path) => /\.tsx?$/.test(path))
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** The paths of all files of some folders, of whatever kind. */
export function listFiles(...folders: readonly string[]): string[] {
  return folders.flatMap(walk)
}

function walk(folder: string): string[] {
  let entries
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true })
  } catch {
    return []
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' || entry.name === 'dist' ? [] : walk(path)
  })
}
