import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../support/sources/sources.ts'
import { DENO } from './hosts.ts'
import { HostProject } from './project.ts'

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node', 'bun'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  paths: { '@/*': ['./next/*.ts'] },
}

/** Its plugin has types that do not tell an absent member from one that is `undefined`. */
const LOOSE = 'better-auth-mcp.ts'

let project: HostProject
let folder: string
beforeAll(async () => {
  project = await HostProject.create()
  folder = await project.add('types', null)
})
afterAll(() => project.remove())

/** The output of a type checker; empty if there is no error. */
function check(program: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd: folder, timeout: 220_000, env: { ...process.env, NO_COLOR: '1' } },
      (error, stdout, stderr) => resolve(error ? stdout + stderr : ''),
    )
  })
}

test('the examples type-check with the built package', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(10)
  const tsc = async (names: readonly string[], more: object = {}): Promise<string> => {
    const compilerOptions = { ...COMPILER_OPTIONS, ...more }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: names }),
    )
    return check(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', folder)
  }
  expect(await tsc(files.filter((name) => name !== 'deno.ts' && name !== LOOSE))).toBe('')
  expect(await tsc([LOOSE], { exactOptionalPropertyTypes: false })).toBe('')
  await writeFile(
    join(folder, 'wrong.ts'),
    "import { createPlatform } from 'seine'\nexport const platform: string = createPlatform()",
  )
  expect(await tsc(['wrong.ts'])).toContain('wrong.ts')
})

test('the example of Deno type-checks with the checker of Deno', async () => {
  const [deno = ''] = DENO
  expect(await check(deno, 'check', '--node-modules-dir=manual', 'deno.ts')).toBe('')
})
