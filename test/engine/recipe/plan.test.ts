import { compileRecipe, parseRecipe, preparePage } from '../../../src/engine.ts'
import type { PageProcessor } from '../../../src/ports/page-processor.ts'
import { pageProcessorContract } from '../../contracts/page-processor.ts'

/** What the worker does by itself, behind the port. */
function createInline(): PageProcessor {
  let isClosed = false
  return {
    open(source) {
      let isOpen = true
      return {
        async process(page, visit, signal) {
          signal?.throwIfAborted()
          if (isClosed || !isOpen) throw new Error('The recipe is closed')
          await preparePage(page)
          return compileRecipe(parseRecipe(source)).process(page, visit)
        },
        close: () => void (isOpen = false),
      }
    },
    close: async () => void (isClosed = true),
  }
}

pageProcessorContract('A plan', async () => createInline())
