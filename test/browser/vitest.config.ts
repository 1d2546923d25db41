import { configure } from '../support/vitest-base.ts'

/** The tests that need a browser, and the package beside this file. */
export default configure({ include: ['test/browser/{,stories/}*.browser.ts'] })
