import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import ts from 'typescript'
import { entries } from './manifest.ts'
import { root } from './sources.ts'

/** Nothing is written there. */
const OUT = join(root, 'dist/.edge')

/** Throws, saying what to do, where the package has not been built. */
export function requireBuild(): void {
  for (const { built, types } of entries) {
    for (const path of [built, types]) if (!existsSync(join(root, path))) throw new Error(`${path} is missing: run "npm run build" first`)
  }
}

/** Runs this Node, from the repository's root. */
export function runNode(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root, timeout: 20_000 }, (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }))
  })
}

/** Names that a built entry exports at run time, as Node sees them through package.json. */
export async function builtNames(entry: string): Promise<string[]> {
  const { code, stdout, stderr } = await runNode('--input-type=module', '-e', `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entry)}))))`)
  if (code !== 0) throw new Error(stderr)
  const names: string[] = JSON.parse(stdout)
  return names.toSorted()
}

/** A built file with all that it needs, bundled as an edge runtime's tools do. `startBytes`: what is loaded at once, as against what is imported when it is first asked for. */
export async function bundleForEdge(path: string): Promise<{ inputs: string[]; unbundled: string[]; startBytes: number; gzipBytes: number }> {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, path)],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    outdir: OUT,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser', 'import'],
    external: ['node:*', 'bun:*', 'cloudflare:*'],
    // esbuild would take `#fetcher` from the paths of tsconfig.json, which a host does not have.
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  const sizes = new Map(outputFiles.map(({ path: written, contents }) => [relative(root, written), gzipSync(contents).byteLength]))
  const sizeOf = (paths: Iterable<string>): number => [...paths].reduce((sum, one) => sum + (sizes.get(one) ?? 0), 0)
  return { inputs: Object.keys(metafile.inputs), unbundled: externals(metafile), startBytes: sizeOf(loadedAtOnce(metafile, path)), gzipBytes: sizeOf(sizes.keys()) }
}

/** The outputs that the one of an entry imports, and those that they import. */
function loadedAtOnce({ outputs }: Metafile, entry: string): Set<string> {
  const found = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === entry))
  for (const path of found) for (const used of outputs[path]?.imports ?? []) if (used.kind === 'import-statement' && used.external !== true) found.add(used.path)
  return found
}

function externals(metafile: Metafile): string[] {
  return Object.values(metafile.outputs).flatMap((output) => output.imports.filter(({ external }) => external).map(({ path }) => path))
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
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder) || fileName.startsWith(join(root, 'dist/types')))
    const found = ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    return found.map(({ file, messageText }) => `${file?.fileName.replace(folder, '').replace(root, '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}
