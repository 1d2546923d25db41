import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source texts by their path from the repository's root, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>

/** The repository's root. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Reads the TypeScript files of some folders; a folder that does not exist has none. */
export function readSources(...folders: readonly string[]): Sources {
  const sources = new Map<string, string>()
  for (const folder of folders) {
    for (const path of walk(folder))
      if (path.endsWith('.ts')) sources.set(path, readFileSync(join(root, path), 'utf8'))
  }
  return sources
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
