import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { entries } from './manifest.ts'
import { root } from './sources.ts'

/** Throws, saying what to do, where the package has not been built. */
export function requireBuild(): void {
  for (const { built, types } of entries) {
    for (const path of [built, types])
      if (!existsSync(join(root, path)))
        throw new Error(`${path} is missing: run "npm run build" first`)
  }
}

/** Runs this Node, from the repository's root. */
export function runNode(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, timeout: 100_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

/** Names that a built entry exports at run time, as Node sees them through package.json. */
export async function builtNames(entry: string): Promise<string[]> {
  const { code, stdout, stderr } = await runNode(
    '--input-type=module',
    '-e',
    `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entry)}))))`,
  )
  if (code !== 0) throw new Error(stderr)
  const names: string[] = JSON.parse(stdout)
  return names.toSorted()
}

/** Type errors that a host's code meets, and those inside our own declarations. */
export async function checkConsumer(code: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-host-'))
  try {
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules/seine'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'host.ts'), code)
    const program = ts.createProgram([join(folder, 'host.ts')], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    })
    const ours = program
      .getSourceFiles()
      .filter(
        ({ fileName }) =>
          fileName.startsWith(folder) || fileName.startsWith(join(root, 'dist/types')),
      )
    const diagnostics = ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ])
    return diagnostics.map(
      ({ file, messageText }) =>
        `${file?.fileName.replace(folder, '').replace(root, '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}
