import { fileURLToPath } from 'node:url'
import { configure, POSTGRES, REDIS } from '../support/vitest-base.ts'

/**
 * What people type from an empty folder on, with the package as it is packed, and what they must
 * see. One after the other, as the times are told in the documentation.
 */
export default configure({
  globalSetup: [POSTGRES, REDIS, fileURLToPath(new URL('pack.ts', import.meta.url))],
  include: ['test/stories/*.stories.ts'],
  fileParallelism: false,
  testTimeout: 1_200_000,
  hookTimeout: 600_000,
})
