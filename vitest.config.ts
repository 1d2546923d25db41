import { setFlagsFromString } from 'node:v8'
import { configDefaults, defineConfig } from 'vitest/config'
import { configure, POSTGRES, RESTORE, TITLES } from './test/support/vitest-base.ts'

// For the threads of `unit` and `slow`: what a test makes is mostly gone before a space of this
// size (in MB) is full. Otherwise a sixth of their time goes into moving it.
setFlagsFromString('--max-semi-space-size=64')
// The cores are busy with tests: threads that help a collection cost more than they save.
setFlagsFromString('--single-threaded-gc')

/** Packages are what Node says they are; otherwise each use of their names passes a proxy. */
const PLAIN_PACKAGES = { interopDefault: false }

/** Tests that need sources alone, in files that share the modules of their thread. */
const shared = (name: string, include: string[], exclude: string[]) =>
  configure({
    name,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    pool: 'threads',
    isolate: false,
    setupFiles: [RESTORE, TITLES],
    deps: PLAIN_PACKAGES,
    // Sources that did not change since the last run are not transformed again.
    fsModuleCache: true,
  })

/** Rules about the sources as texts. Most need the compiler, which takes a second to load. */
const SOURCES = [
  'test/{addresses,arch,arch-lint,arch-types,comments,egress,keys,seams,unit-files}.test.ts',
]
const sources = shared('sources', SOURCES, [])

/** What answers while one works. */
const unit = shared(
  'unit',
  ['test/**/*.test.ts'],
  ['test/**/*.{proof,property,slow}.test.ts', ...SOURCES],
)

/** What enumerates, draws cases or is large: many files, of which none has to pay for a process. */
const slow = shared('slow', ['test/**/*.{property,slow}.test.ts'], [])

/** Tests that need a build, processes, threads or a database, or replace modules. */
const proof = configure({
  name: 'proof',
  include: ['test/**/*.proof.test.ts'],
  globalSetup: [POSTGRES],
  deps: PLAIN_PACKAGES,
})

/**
 * CPU and memory of what is made of hostile input: after the proofs, as other work at the same time
 * is measured with it. Each file is in a process of its own.
 */
const growth = configure({
  name: 'growth',
  include: ['test/growth/*.growth.ts'],
  pool: 'forks',
  sequence: { groupOrder: 1 },
  deps: PLAIN_PACKAGES,
  maxWorkers: 2,
  // In MB. What a run makes fits the young space, so that its work is measured and not how the
  // collector moves what lives longer than it expects.
  execArgv: ['--min-semi-space-size=512', '--max-semi-space-size=512'],
  // The whole form takes each family of a subject to 8 MB.
  testTimeout: 1_200_000,
  env: { GROWTH: process.env['GROWTH'] ?? 'short' },
})

export default defineConfig({
  test: { maxWorkers: '100%', projects: [unit, sources, slow, proof, growth] },
})
