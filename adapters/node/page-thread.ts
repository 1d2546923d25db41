import { parentPort } from 'node:worker_threads'
import { compileRecipe, parseRecipe } from '../../src/engine.ts'
import type { Plan } from '../../src/engine.ts'
import type { FromThread, ToThread } from './page-messages.ts'

// What runs in a page thread: recipes compiled once, pages answered in order.
const port = parentPort
if (port === null) throw new Error('page-thread is the entry of a worker thread; createPageThreads starts it')

/** A recipe that cannot be compiled is kept as the reason, for the answer to each of its pages. */
const plans = new Map<number, Plan | Error>()

const say = (message: FromThread): void => port.postMessage(message)

port.on('message', (message: ToThread) => {
  if (message.kind === 'open') plans.set(message.recipe, compile(message.source))
  else if (message.kind === 'close') plans.delete(message.recipe)
  else answer(message)
})
say({ kind: 'ready' })

function answer({ id, recipe, page, visit }: Extract<ToThread, { kind: 'page' }>): void {
  try {
    const plan = plans.get(recipe) ?? new Error('The recipe is not open')
    if (plan instanceof Error) throw plan
    say({ kind: 'result', id, result: plan.process(page, visit) })
  } catch (error) {
    say({ kind: 'error', id, message: error instanceof Error ? error.message : String(error) })
  }
}

function compile(source: unknown): Plan | Error {
  try {
    return compileRecipe(parseRecipe(source))
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
