import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './support/sources/sources.ts'

// A repository of a few files, whose checks say what the test has put into them.

const env = {
  PATH: process.env['PATH'],
  HOME: tmpdir(),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}
const PASSES = 'process.exitCode = 0\n'
const FAILS =
  "console.log('a fault of ' + process.argv[1].split('/').at(-1))\nprocess.exitCode = 1\n"

/** A repository with a base, and a commit for each of these sets of files. */
function createRepository(...commits: readonly Readonly<Record<string, string>>[]) {
  const folder = mkdtempSync(join(tmpdir(), 'every-commit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=main')
  mkdirSync(join(folder, '.ci'))
  const manifest = { name: 'tiny', version: '1.0.0', scripts: { types: 'node types.mjs' } }
  const lock = { name: 'tiny', version: '1.0.0', lockfileVersion: 3, packages: { '': manifest } }
  const base = {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
    '.gitignore': 'node_modules\n',
    'types.mjs': PASSES,
    '.ci/build.mjs': PASSES,
  }
  for (const [index, files] of [base, ...commits].entries()) {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', `number ${index}`)
  }
  const check = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, '.ci/every-commit.mjs'), ...args],
      { cwd: folder, env, encoding: 'utf8' },
    )
    return { code: status, output: stdout, errors: stderr }
  }
  return { git, check }
}

test('a commit that does not build is named, though a later one mends it', () => {
  const { git, check } = createRepository(
    { 'types.mjs': FAILS },
    { 'types.mjs': PASSES },
    { '.ci/build.mjs': FAILS },
    { '.ci/build.mjs': PASSES },
  )
  // The checkout itself stays as it is.
  const before = git('status', '--porcelain', '--branch')
  const { code, output, errors } = check('main~4..main')
  expect(errors).toBe('')
  expect(output).toContain('a fault of types.mjs')
  expect(output).toContain('a fault of build.mjs')
  expect(output.match(/^(?:builds|FAILED \(.+?\)): \w+ number \d/gm)?.map(withoutHash)).toEqual([
    'FAILED (npm run -s types): number 1',
    'builds: number 2',
    'FAILED (node .ci/build.mjs): number 3',
    'builds: number 4',
  ])
  expect(output).toContain('2 commits build, 2 do not\n')
  expect(code).toBe(1)
  expect(git('status', '--porcelain', '--branch')).toBe(before)
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('a range whose commits all build is well, and so is one without commits', () => {
  const { check } = createRepository({}, { 'types.mjs': PASSES })
  expect(check('main~2..main')).toMatchObject({ code: 0, errors: '' })
  expect(check('main..main')).toEqual({
    code: 0,
    output: '0 commits build, 0 do not\n',
    errors: '',
  })
})

test('a commit of the range is checked with its own packages', () => {
  const { check } = createRepository({ 'package-lock.json': 'no list' }, { 'types.mjs': PASSES })
  const { code, output } = check('main~2..main')
  // Packages that could not be installed are missing for the second commit, too.
  expect(output).toMatch(/^FAILED \(npm ci.+\): \w+ number 1/m)
  expect(output).toMatch(/^FAILED \(npm ci.+\): \w+ number 2/m)
  expect(code).toBe(1)
})

test('an argument that is not a range is refused', () => {
  const { check } = createRepository()
  expect(check()).toMatchObject({ code: 2 })
  expect(check('main')).toMatchObject({ code: 2 })
  expect(check('nowhere..main')).toMatchObject({ code: 1 })
})

const withoutHash = (line: string): string => line.replace(/: \w+ /, ': ')
