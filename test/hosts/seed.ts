import { createServer } from 'node:http'
import { createPlatform, type PlatformOptions, type Principal, type RecipeInput } from 'seine'

/** The owner of the initial data of the hosts. */
export const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

/** Rows of a page. */
const ROWS = 250

/** The data that is stored before a host starts. */
export interface Seed {
  readonly key: string
  /** An execution with many rows of about 2 KB each. */
  readonly big: string
  /** The number of its rows. */
  readonly rows: number
  /** An execution with a row that has a picture. */
  readonly picture: string
  /** An execution that has not begun. */
  readonly queued: string
  /** An execution that waits until it is resumed, so that its stream of events stays open. */
  readonly paused: string
}

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
/** Enough for a file that is larger than the buffers of a connection. */
const PAGES = 24

/** Fills a store and blobs by running a platform on them. `pages` sets the size of the big file. */
export async function plantSeed(
  options: Pick<PlatformOptions, 'store' | 'blobs' | 'limiter'>,
  pages = PAGES,
): Promise<Seed> {
  const site = await startSite()
  const platform = createPlatform({ ...options, allowPrivateNetwork: true })
  const { keys, tasks, executions } = platform.api
  const start = async (name: string, recipe: RecipeInput): Promise<string> =>
    (await executions.start(OWNER, (await tasks.create(OWNER, { name, recipe })).id)).id
  try {
    const { secret } = await keys.create(OWNER, { name: 'hosts', scopes: ['*'] })
    const big = await start('Big', {
      start: { urls: [`${site.url}/list/{1..${pages}}`] },
      extract: { items: 'li', fields: { name: 'b', text: 'p' } },
    })
    const picture = await start('Picture', {
      start: { urls: [`${site.url}/picture`] },
      extract: { fields: { image: { css: 'img', as: 'media' } } },
    })
    await platform.worker.tick()
    for (const [id, rows] of [
      [big, pages * ROWS],
      [picture, 1],
    ] as const) {
      const { status, counters } = await executions.get(OWNER, id)
      if (status !== 'succeeded' || counters.rows !== rows)
        throw new Error(`The seed is ${status} with ${counters.rows} rows`)
    }
    const queued = await start('Queued', {
      start: { urls: [`${site.url}/picture`] },
      extract: { fields: { title: 'title' } },
    })
    const paused = await start('Paused', { start: { urls: [`${site.url}/picture`] } })
    await executions.pause(OWNER, paused)
    return { key: secret, big, rows: pages * ROWS, picture, queued, paused }
  } finally {
    site.close()
    await platform.close()
  }
}

/** Lists of rows at `/list/<n>`, and a page with a picture. */
async function startSite(): Promise<{ readonly url: string; close(): void }> {
  const rows = Array.from(
    { length: ROWS },
    (_, index) =>
      `<li><b>Thing ${index}</b><p>${`Ünusual text of thing ${index}. `.repeat(70)}</p></li>`,
  )
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/list/'))
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(`<!doctype html><title>List</title><ul>${rows.join('')}</ul>`)
    else if (url === '/picture')
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>Picture</title><img src="/pixel.gif">')
    else if (url === '/pixel.gif') response.setHeader('content-type', 'image/gif').end(PIXEL)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The site has no TCP address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
