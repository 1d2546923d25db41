// Installs the packages of test folders, each by its own lock; a folder that has them already is
// left as it is, so that the steps of .ci/run need not install the same packages again.
//   node .ci/install.mjs test/browser test/hosts
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

for (const folder of process.argv.slice(2)) {
  const path = join(root, folder)
  const stamp = join(path, 'node_modules/.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(path, 'package.json')))
    .update(readFileSync(join(path, 'package-lock.json')))
    .digest('hex')
  // npm ci removes the folder first, and the stamp with it.
  if (read(stamp) === wanted) continue
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--prefix', path, '--no-audit', '--no-fund'],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  )
  if (error) console.error(error)
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, wanted)
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
