// Whether each commit of a range builds, so that `git bisect` can stop at each:
//   node .ci/every-commit.mjs main..HEAD
// It checks the commits out one after the other into a worktree beside this one, which goes when it has
// ended. The exit code is 1 if a commit does not build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const INSTALL = 'npm ci --prefer-offline --no-audit --no-fund --silent'
const CHECKS = ['npm run -s types', 'node .ci/build.mjs']

const range = process.argv[2]
if (!range?.includes('..')) {
  console.error('Usage: node .ci/every-commit.mjs BASE..HEAD')
  process.exit(2)
}
// Variables of a git hook name the folder of the caller.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
)
const commits = git('.', 'rev-list', '--reverse', '--topo-order', range).split('\n').filter(Boolean)
const scratch = mkdtempSync(join(tmpdir(), 'seine-commits-'))
const tree = join(scratch, 'tree')
// The Node that a commit brings comes first.
env.PATH = [join(tree, 'node_modules', '.bin'), env.PATH].join(delimiter)
const failures = []
try {
  let installed
  for (const commit of commits) {
    const began = performance.now()
    if (installed === undefined) git('.', 'worktree', 'add', '--quiet', '--detach', tree, commit)
    else git(tree, 'checkout', '--quiet', '--force', '--detach', commit)
    // Packages are installed again only if they are others than those that are there.
    const listed = git(tree, 'ls-tree', commit, 'package-lock.json')
    const checks = listed === installed ? CHECKS : [INSTALL, ...CHECKS]
    const failure = firstFailure(checks)
    installed = failure?.command === INSTALL ? '' : listed
    const subject = git(tree, 'log', '-1', '--format=%h %s').trim()
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    console.log(`${failure ? `FAILED (${failure.command})` : 'builds'}: ${subject}, ${seconds} s`)
    if (!failure) continue
    failures.push(subject)
    console.log(failure.output)
  }
} finally {
  spawnSync('git', ['worktree', 'remove', '--force', tree], { env })
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`${commits.length - failures.length} commits build, ${failures.length} do not`)
for (const subject of failures) console.log(`FAILED ${subject}`)
process.exitCode = failures.length > 0 ? 1 : 0

function firstFailure(checks) {
  for (const command of checks) {
    const result = check(command)
    if (result.code !== 0) return result
  }
  return undefined
}

function check(command) {
  const options = { cwd: tree, env, shell: true, encoding: 'utf8', maxBuffer: 1 << 26 }
  const { status, stdout, stderr } = spawnSync(command, options)
  return { command, code: status, output: `${stdout}${stderr}` }
}

function git(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}
