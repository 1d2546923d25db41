import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../support/sources/sources.ts'

/** A user's project: the examples as they are, the frameworks, and the package under its own name. */
export class HostProject {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<HostProject> {
    const project = new HostProject(await mkdtemp(join(tmpdir(), 'seine-hosts-')))
    await linkPackages(join(root, 'test/hosts/node_modules'), join(project.folder, 'node_modules'))
    // Copied, as a link would lead out of node_modules, where runtimes find no package.
    const own = join(project.folder, 'node_modules/seine')
    for (const part of ['package.json', 'dist'])
      await cp(join(root, part), join(own, part), { recursive: true })
    await symlink(join(root, 'node_modules'), join(own, 'node_modules'))
    await cp(join(root, 'test/hosts/package.json'), join(project.folder, 'package.json'))
    return project
  }

  /** A folder of the project with the examples and the initial data of a host. */
  async add(name: string, data: string | null): Promise<string> {
    const folder = join(this.folder, name)
    await cp(join(root, 'examples/hosts'), folder, { recursive: true })
    await cp(join(root, 'test/hosts/next-server.ts'), join(folder, 'next-server.ts'))
    // Bundled like by Next: with its alias for the root of the app, and without the package.
    await build({
      entryPoints: ['next-server.ts'],
      outfile: join(folder, 'next-server.js'),
      absWorkingDir: folder,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: { '@': './next' },
      external: ['seine'],
      tsconfigRaw: {},
      logLevel: 'error',
    })
    if (data !== null) await cp(data, folder, { recursive: true })
    return folder
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Links each package by itself, so that one can be added beside them. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    if (name.startsWith('.')) continue
    if (name.startsWith('@')) await linkPackages(join(from, name), join(to, name))
    else await symlink(join(from, name), join(to, name))
  }
}
