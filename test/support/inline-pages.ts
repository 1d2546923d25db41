import { createDefaultPageProcessor as createInlinePages } from '../../src/defaults/page-processor.ts'
import type { OpenPageWork, PageProcessor } from '../../src/ports/page-processor.ts'

/** Works on pages here, as a platform does where there are no threads, and without pauses, which a fake clock does not see. */
export const createDefaultPageProcessor = (open: OpenPageWork): PageProcessor => createInlinePages(open, () => Promise.resolve())
