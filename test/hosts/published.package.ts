import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from '../runtimes/project.ts'
import type { Project } from '../runtimes/project.ts'
import { entries, manifest } from '../support/sources/manifest.ts'
import { root } from '../support/sources/sources.ts'
import { linesOf } from './host-cases.ts'
import { BUN, DENO } from './hosts.ts'
import { plantSeed } from './seed.ts'
import { startHost } from './start-host.ts'
import { startWorker } from './start-worker.ts'

/**
 * Entries that need a peer dependency to be imported. The others load theirs when it is used, or
 * get a client from the host.
 */
const NEED_A_PEER = {
  'seine/bullmq': 'bullmq',
  'seine/opentelemetry': '@opentelemetry/api',
  'seine/testing': 'fast-check',
}

let project: Project
let modules: string
beforeAll(async () => {
  project = await createProject(root, false)
  modules = join(project.folder, 'node_modules')
})
afterAll(() => project.remove())

/** Runs a program in the project, or in another folder. */
function run(
  program: string,
  args: readonly string[],
  cwd = project.folder,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd, timeout: 220_000, maxBuffer: 1 << 24, env: { ...process.env, NO_COLOR: '1' } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

/** Packages in a folder of modules. */
async function packagesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  const named = await Promise.all(
    names.map(async (name) =>
      name.startsWith('@')
        ? (await readdir(join(folder, name))).map((inner) => `${name}/${inner}`)
        : [name],
    ),
  )
  return named.flat()
}

describe('checked by tools for packages', () => {
  test('publint reports nothing', async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(modules, 'seine'),
      strict: true,
      pack: false,
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('attw reports no wrong types', async () => {
    const tarball = (await readdir(project.folder)).find((name) => name.endsWith('.tgz')) ?? ''
    const { code, output } = await run(process.execPath, [
      join(root, 'test/hosts/node_modules/@arethetypeswrong/cli/dist/index.js'),
      tarball,
      '--profile',
      'esm-only',
    ])
    expect(code === 0 ? '' : output).toBe('')
  })

  test('deno publish --dry-run passes, types included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'seine-jsr-'))
    try {
      expect(await run(process.execPath, [join(root, '.ci/jsr.mjs'), folder])).toEqual({
        code: 0,
        output: '',
      })
      // No registry is asked, as the dependencies are installed.
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
      const [deno = ''] = DENO
      const { code, output } = await run(deno, ['publish', '--dry-run', '--allow-dirty'], folder)
      expect(output).toContain('Success Dry run complete')
      expect(code).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('in an empty project', () => {
  test('the package brings its dependencies, and no peer dependency', async () => {
    const installed = await packagesIn(modules)
    expect(installed).toEqual(
      expect.arrayContaining(['seine', ...Object.keys(manifest.dependencies)]),
    )
    expect(
      Object.keys(manifest.peerDependencies).filter((name) => installed.includes(name)),
    ).toEqual([])
  })

  test('docs/runtimes.md has the size of these', async () => {
    const sizes = (await readdir(modules, { recursive: true, withFileTypes: true }))
      .filter((file) => file.isFile())
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size)
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    const lock: { readonly packages: Readonly<Record<string, unknown>> } = JSON.parse(
      await readFile(join(modules, '.package-lock.json'), 'utf8'),
    )
    const [, packages, megabytes] =
      /own\s+project\s+Seine\s+is\s+(\d+)\s+packages\s+and\s+(\d+)\s+MB/.exec(
        await readFile(join(root, 'docs/runtimes.md'), 'utf8'),
      ) ?? []
    expect([
      Number(packages),
      Math.abs(Number(megabytes) - bytes / 1e6) < 1 ? Number(megabytes) : bytes / 1e6,
    ]).toEqual([Object.keys(lock.packages).length, Number(megabytes)])
  })

  test('every entry can be imported without the peers of others, and the core loads no adapter', async () => {
    await writeFile(
      join(project.folder, 'load.mjs'),
      `import { registerHooks } from 'node:module'
       const loaded = new Set()
       registerHooks({ load: (url, context, next) => (loaded.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? url), next(url, context)) })
       await import('seine')
       const core = [...loaded]
       const missing = {}
       for (const name of ${JSON.stringify(entries.map(({ name }) => name))}) await import(name).catch(({ message }) => (missing[name] = /package '([^']+)'/.exec(message)?.[1] ?? message))
       console.log(JSON.stringify({ core, missing, all: [...loaded] }))`,
    )
    const { code, output } = await run(process.execPath, ['load.mjs'])
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\{.*\}\n$/) })
    const {
      core,
      missing,
      all,
    }: {
      readonly core: readonly string[]
      readonly missing: Readonly<Record<string, string>>
      readonly all: readonly string[]
    } = JSON.parse(output)
    expect(missing).toEqual(NEED_A_PEER)
    expect(core).toContain('valibot')
    expect(
      core.filter((name) =>
        [
          'jose',
          'unstorage',
          '@modelcontextprotocol/sdk',
          'unpdf',
          ...Object.keys(manifest.peerDependencies),
        ].includes(name),
      ),
    ).toEqual([])
    expect(all).toEqual(expect.arrayContaining(['jose', 'unstorage']))
  })

  test.each([
    ['Node', [process.execPath]],
    ['Bun', BUN],
    ['Deno', DENO],
  ])("the README's first snippet runs on %s", async (name, command) => {
    const folder = join(project.folder, name)
    await cp(join(root, 'examples/hosts/serve.ts'), join(folder, 'serve.ts'))
    const seed = await plantSeed(
      {
        store: createSqliteStore({ path: join(folder, 'seine.db') }),
        blobs: createFileBlobs({ dir: join(folder, 'seine-blobs') }),
      },
      2,
    )
    const host = await startHost({ file: 'serve.ts', command }, folder)
    try {
      const file = await fetch(
        `${host.url}/api/v1/executions/${seed.big}/results/export?format=csv`,
        { headers: { authorization: `Bearer ${seed.key}` } },
      )
      expect(linesOf(await file.text())).toBe(seed.rows + 1)
    } finally {
      host.terminate()
    }
    expect((await host.ended).code).toBe(0)
  })

  test('the snippet for a Worker runs on workerd', async () => {
    const folder = join(project.folder, 'workerd')
    await cp(join(root, 'examples/hosts/cloudflare.ts'), join(folder, 'cloudflare.ts'))
    const worker = await startWorker(folder, project.folder)
    try {
      const seed = await plantSeed(await worker.open(), 2)
      const file = await fetch(
        `${worker.url}/data/api/v1/executions/${seed.big}/results/export?format=csv`,
        { headers: { authorization: `Bearer ${seed.key}` } },
      )
      expect(linesOf(await file.text())).toBe(seed.rows + 1)
    } finally {
      await worker.close()
    }
  })
})
