import { configure } from '../support/vitest-base.ts'

/** What is made of hostile input, measured: each file in a process of its own. */
export default configure({
  include: ['test/growth/*.growth.ts'],
  pool: 'forks',
  maxWorkers: 2,
  env: { GROWTH: process.env['GROWTH'] ?? 'whole' },
})
