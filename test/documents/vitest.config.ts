import { configure } from '../support/vitest-base.ts'

/** The tests that need LibreOffice, and the package beside this file. */
export default configure({ include: ['test/documents/*.documents.ts'] })
