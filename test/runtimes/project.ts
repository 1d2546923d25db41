import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The project of a user, with the package in it. */
export interface Project {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * An empty project with the package installed like a published one: packed, then `npm install`.
 * `linked`: a link to the build of the checkout instead, which needs little time and no registry.
 */
export async function createProject(root: string, linked: boolean): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-project-'))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'a-project', private: true, type: 'module' }),
  )
  if (linked) {
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules/seine'))
  } else {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['pack', '--pack-destination', folder, ...quiet], { cwd: root })
    const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
    if (packed === undefined) throw new Error('npm pack wrote no file')
    await run('npm', ['install', '--ignore-scripts', '--prefer-offline', ...quiet, `./${packed}`], {
      cwd: folder,
    })
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
