import { Agent, request, type Dispatcher } from 'undici'
import { createRowFile, type Assignment } from '../contender.ts'
import type { HandPage } from './page.ts'

/** The body of an answer, as undici has it. */
export type HandBody = Dispatcher.ResponseData['body']

/** Crawls the shop with undici's own request. `read` turns a body into a row or links. */
export async function crawlByHand(
  { origin, concurrency, out }: Assignment,
  read: (path: string, body: HandBody) => Promise<HandPage>,
): Promise<void> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 })
  const rows = createRowFile(out)
  const queue = ['/']
  const seen = new Set(queue)
  let next = 0
  let open = 0

  const visit = async (path: string) => {
    const { statusCode, body } = await request(origin + path, { dispatcher })
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    const { row, links } = await read(path, body)
    if (row !== null) rows.write(row)
    for (const href of links) {
      if (seen.has(href)) continue
      seen.add(href)
      queue.push(href)
    }
  }

  await new Promise<void>((resolve, reject) => {
    const pump = () => {
      for (let path = queue[next]; path !== undefined && open < concurrency; path = queue[next]) {
        next++
        open++
        visit(path).then(() => {
          open--
          pump()
        }, reject)
      }
      if (open === 0 && next === queue.length) resolve()
    }
    pump()
  })
  await rows.end()
  await dispatcher.close()
}
