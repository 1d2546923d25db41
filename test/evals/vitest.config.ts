import { configure } from '../support/vitest-base.ts'

/** `npm run evals`: all tasks, and what they cost. */
export default configure({
  include: ['test/evals/all.evals.ts'],
  maxWorkers: 1,
  reporters: [['default', { summary: false }]],
})
