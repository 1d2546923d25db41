import { fileURLToPath } from 'node:url'
import { configure, POSTGRES, REDIS } from '../support/vitest-base.ts'

/**
 * The commands of people who begin in an empty folder with the packed package, and the output that
 * they must see. Stories run one after the other, as the documentation shows their times.
 */
export default configure({
  globalSetup: [POSTGRES, REDIS, fileURLToPath(new URL('pack.ts', import.meta.url))],
  include: ['test/stories/*.stories.ts'],
  fileParallelism: false,
  testTimeout: 1_200_000,
  hookTimeout: 600_000,
})
