import { configure } from '../support/vitest-base.ts'

/** The tests that need the package beside this file. */
export default configure({ include: ['test/conformance/*.conformance.ts'], maxWorkers: 1 })
