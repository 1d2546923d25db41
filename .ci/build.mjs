// Builds dist/ when a source is newer than it. Two processes may call it at once: one builds, the other waits.
//   --types  declarations too    --force  everything, whatever its age
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.mjs'
import { joinChunks } from './join-chunks.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const lock = join(dist, '.build')
const inputs = [
  'src',
  'adapters',
  'test/contracts',
  'package.json',
  'package-lock.json',
  'tsup.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  '.ci/build.mjs',
  '.ci/build-console.mjs',
  '.ci/join-chunks.mjs',
]
const force = process.argv.includes('--force')
const types = force || process.argv.includes('--types')

process.chdir(root)
const sources = await fingerprint()
if (force || !(await isFresh())) {
  await locked(build).catch((error) => {
    console.error(String(error.message))
    process.exitCode = 1
  })
}

async function build() {
  // The holder of the lock before may have built the same.
  if (!force && (await isFresh())) return
  const code = join(lock, 'code')
  const declarations = join(lock, 'types')
  // Both must have ended before the lock goes, or the slower one would write where the next build works.
  const ends = await Promise.allSettled([
    run('tsup/dist/cli-default.js', '--out-dir', code).then(async () => {
      await joinChunks(code)
      await writeLicenses(code, await buildConsole(root, code))
    }),
    types && run('typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', declarations),
  ])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  await replace(code, dist, ['types', '.build', '.stamp'])
  if (types) await replace(declarations, join(dist, 'types'), ['.stamp'])
  await writeFile(join(dist, '.stamp'), sources)
  if (types) await writeFile(join(dist, 'types/.stamp'), sources)
}

async function isFresh() {
  const stamps = [join(dist, '.stamp'), ...(types ? [join(dist, 'types/.stamp')] : [])]
  return (await Promise.all(stamps.map((stamp) => readFile(stamp, 'utf8').catch(() => '')))).every(
    (stamp) => stamp === sources,
  )
}

/** The page thread and the console have packages inside. Their licences want to be copied with them. */
async function writeLicenses(code, inConsole) {
  const names = new Set(inConsole)
  for (const path of await files(code))
    for (const [, name] of (await readFile(path, 'utf8')).matchAll(
      /^\/\/ (?:\S+\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm,
    ))
      names.add(name)
  const texts = [...names].toSorted().map(async (name) => {
    const folder = join(root, 'node_modules', name)
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} is built into dist, and has no licence`)
    return `${name}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
  })
  await writeFile(join(code, 'licenses.txt'), (await Promise.all(texts)).join('\n---\n\n'))
}

/** Changes with every edit, addition and removal of an input. */
async function fingerprint() {
  const hash = createHash('sha256')
  for (const input of inputs) {
    for (const path of (await files(input)).toSorted()) {
      const { mtimeMs, size } = await stat(path)
      hash.update(`${path}\0${mtimeMs}\0${size}\n`)
    }
  }
  return hash.digest('hex')
}

async function files(path) {
  const entries = await readdir(path, { withFileTypes: true }).catch((error) =>
    error.code === 'ENOTDIR' ? null : error.code === 'ENOENT' ? [] : Promise.reject(error),
  )
  if (!entries) return [path]
  return (await Promise.all(entries.map((entry) => files(join(path, entry.name))))).flat()
}

/**
 * Moves a finished build into place file by file, chunks before the entries that import them, then
 * drops what is left over.
 */
async function replace(from, to, keep) {
  const built = (await files(from)).map((path) => path.slice(from.length + 1))
  const present = (await files(to)).map((path) => path.slice(to.length + 1))
  const isChunk = (path) => /-[a-z\d]{8}\.js$/.test(path)
  for (const path of built.toSorted((a, b) => Number(isChunk(b)) - Number(isChunk(a)))) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await rename(join(from, path), join(to, path))
  }
  const fresh = new Set(built)
  for (const path of present)
    if (!fresh.has(path) && !keep.includes(path.split('/')[0]))
      await rm(join(to, path), { force: true })
}

/** Runs a task while holding a lock folder; a lock whose owner has died is taken over. */
async function locked(task) {
  const owner = join(lock, 'owner')
  await mkdir(dist, { recursive: true })
  for (let waited = 0; ; waited += 100) {
    try {
      await mkdir(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const pid = Number(await readFile(owner, 'utf8').catch(() => '0'))
      if (waited > 180_000)
        throw new Error(`The build is locked by process ${pid}; remove ${lock} if it is gone`, {
          cause: error,
        })
      // An owner writes its name at once; a lock that has none after some seconds was left by one that died before.
      if (pid > 0 ? !isAlive(pid) : waited > 5_000) await rm(lock, { recursive: true, force: true })
      else await sleep(100)
    }
  }
  try {
    await writeFile(owner, String(process.pid))
    await task()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs a development dependency's script with this Node; shows its output only if it fails. */
function run(script, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join('node_modules', script), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) return resolve()
      process.stderr.write(Buffer.concat(output))
      reject(new Error(`${script} failed with code ${code}`))
    })
  })
}
