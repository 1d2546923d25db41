import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './sources.ts'

interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly help?: string
  readonly filename: string
}

/**
 * Lints planted sources (path → text) with the repository's own configuration; gives `path: rule`
 * for each finding.
 */
export async function lintPlanted(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-lint-'))
  try {
    await cp(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        join(root, 'node_modules/.bin/oxlint'),
        ['--format=json'],
        { cwd: folder },
        (error, stdout) => (stdout ? resolve(stdout) : reject(error)),
      )
    })
    const report: { diagnostics: Diagnostic[] } = JSON.parse(output)
    return report.diagnostics
      .map(
        (diagnostic) => `${diagnostic.filename}: ${diagnostic.code.replace(/^.*\((.*)\)$/, '$1')}`,
      )
      .toSorted()
  } finally {
    await rm(folder, { recursive: true })
  }
}
