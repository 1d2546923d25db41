import { createServer } from 'node:http'

/** Pages that link on: `/<folder>/0` to `/<folder>/4`; and receivers of webhooks at `/hooks/<any>`. */
export const LAST_PAGE = 4

/** A site that records its requests, and can hold answers back. */
export interface EventSite {
  readonly url: string
  /** The requested paths with this prefix, in order. */
  asked(beginning: string): string[]
  /** The user agents of the requests for paths with this prefix. */
  callers(beginning: string): Set<string>
  /** Holds paths back. */
  hold(paths: readonly string[]): Held
  /** The statuses of the answers to the next webhooks; 204 when these are used up. */
  answerHooks(...statuses: number[]): void
  close(): Promise<void>
}

/** Paths that are held back. */
export interface Held {
  /** Resolves when all have been requested; rejects after a minute. */
  reached(): Promise<void>
  /** Answers them, and no longer holds them back. */
  release(): void
}

/** Starts it on 127.0.0.1. */
export async function startEventSite(): Promise<EventSite> {
  const log: { readonly path: string; readonly caller: string }[] = []
  const held = new Map<string, { readonly reached: () => void; readonly released: Promise<void> }>()
  let statuses: number[] = []
  const server = createServer((request, response) => {
    const { url: path = '/', headers } = request
    log.push({ path, caller: headers['user-agent'] ?? '' })
    const hold = held.get(path)
    hold?.reached()
    request.resume()
    void (hold?.released ?? Promise.resolve()).then(() => {
      const [, folder = '', number = ''] = path.split('/')
      if (folder === 'hooks') response.writeHead(statuses.shift() ?? 204).end()
      else if (!/^[0-4]$/.test(number)) response.writeHead(404).end()
      else
        response
          .setHeader('content-type', 'text/html')
          .end(
            `<!doctype html><title>${number}</title><h1>Page ${number}</h1>` +
              (Number(number) < LAST_PAGE
                ? `<a class="next" href="/${folder}/${Number(number) + 1}">Next</a>`
                : ''),
          )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The site has no TCP address')
  const of = (beginning: string) => log.filter(({ path }) => path.startsWith(beginning))
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: (beginning) => of(beginning).map(({ path }) => path),
    callers: (beginning) => new Set(of(beginning).map(({ caller }) => caller)),
    hold(paths) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const each = paths.map((path) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        held.set(path, { reached: resolve, released })
        return promise
      })
      return {
        reached: () =>
          withinMinute(
            Promise.all(each).then(() => undefined),
            paths,
          ),
        release() {
          for (const path of paths) held.delete(path)
          release()
        },
      }
    },
    answerHooks: (...next) => void (statuses = next),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function withinMinute(reached: Promise<void>, paths: readonly string[]): Promise<void> {
  const { promise: never, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`Nobody asked for all of ${paths.join(', ')}`)),
    120_000,
  )
  await Promise.race([reached, never]).finally(() => clearTimeout(timer))
}
