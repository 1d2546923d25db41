import { configure } from '../support/vitest-base.ts'

/** What is made of hostile input, measured: each file in a process of its own. */
export default configure({
  include: ['test/growth/*.growth.ts'],
  pool: 'forks',
  maxWorkers: 2,
  // The whole form takes each family of a subject to 8 MB.
  testTimeout: 1_200_000,
  env: { GROWTH: process.env['GROWTH'] ?? 'whole' },
})
