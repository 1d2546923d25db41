import { parentPort } from 'node:worker_threads'
import { compileRecipe, parseRunRecipe, preparePage, prepareRecipe } from '../../src/engine.ts'
import type { Plan } from '../../src/engine.ts'
import type { Json } from '../../src/kernel/json.ts'
import type { FromThread, ToThread } from './page-messages.ts'

// What runs in a page thread: recipes compiled once, pages answered in order.
const port = parentPort
if (port === null) throw new Error('page-thread is the entry of a worker thread; createPageThreads starts it')

/** A recipe that cannot be compiled is kept as the reason, for the answer to each of its pages. */
const plans = new Map<number, Plan | Error>()

const say = (message: FromThread): void => port.postMessage(message)

// One message after the other, although a recipe may have to wait for what it needs.
let last = Promise.resolve()
port.on('message', (message: ToThread) => (last = last.then(() => hear(message))))
say({ kind: 'ready' })

async function hear(message: ToThread): Promise<void> {
  if (message.kind === 'open') plans.set(message.recipe, await compile(message.source))
  else if (message.kind === 'close') plans.delete(message.recipe)
  else await answer(message)
}

async function answer({ id, recipe, page, visit }: Extract<ToThread, { kind: 'page' }>): Promise<void> {
  try {
    const plan = plans.get(recipe) ?? new Error('The recipe is not open')
    if (plan instanceof Error) throw plan
    await preparePage(page)
    say({ kind: 'result', id, result: plan.process(page, visit) })
  } catch (error) {
    say({ kind: 'error', id, message: error instanceof Error ? error.message : String(error) })
  }
}

async function compile(source: Json): Promise<Plan | Error> {
  try {
    await prepareRecipe(source)
    return compileRecipe(parseRunRecipe(source))
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
