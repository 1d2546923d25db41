import { configure, POSTGRES } from '../support/vitest-base.ts'

/** Tests of several real processes on one Postgres: that of npm, unless POSTGRES_BIN names another. */
export default configure({
  include: ['test/distributed/*.distributed.ts'],
  globalSetup: [POSTGRES],
})
