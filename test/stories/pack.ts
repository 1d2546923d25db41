import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { root } from '../support/sources/sources.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The package as it would be published. */
    tarball: string
  }
}

/** Packs the package once for all stories. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'seine-pack-'))
  execFileSync('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (packed === undefined) throw new Error('npm pack wrote no file')
  project.provide('tarball', join(folder, packed))
  return () => rmSync(folder, { recursive: true })
}
