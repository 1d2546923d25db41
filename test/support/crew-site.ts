import type { Json } from '../../src/kernel/json.ts'
import type { Answer } from './fake-web.ts'

/** A web of several hosts, each with a list of pages; the lists are the start. */
export interface CrewSite {
  readonly pages: Record<string, Answer>
  readonly recipe: { readonly [name: string]: Json }
  readonly rows: readonly Json[]
  readonly urls: number
}

/** `concurrency`: pages at the same time in all processes; absent: so many as each does by itself. `crawlDelay`: seconds that every robots.txt asks for. */
export function crewSite({ hosts, pages, concurrency, crawlDelay }: { hosts: number; pages: number; concurrency?: number; crawlDelay?: number }): CrewSite {
  const web: Record<string, Answer> = {}
  const rows: Json[] = []
  const origin = (host: number) => `https://h${host}.example.com`
  for (let host = 0; host < hosts; host++) {
    web[`${origin(host)}/`] = `${Array.from({ length: pages }, (_, page) => `<a class="p" href="/p/${page}">x</a>`).join('')}<a class="p" href="${origin((host + 1) % hosts)}/p/0">next</a>`
    if (crawlDelay !== undefined) web[`${origin(host)}/robots.txt`] = { headers: { 'content-type': 'text/plain' }, body: `User-agent: *\nCrawl-delay: ${crawlDelay}\n` }
    for (let page = 0; page < pages; page++) {
      web[`${origin(host)}/p/${page}`] = `<h1>Page ${page} of ${host}</h1>`
      rows.push({ title: `Page ${page} of ${host}` })
    }
  }
  const recipe = {
    start: { urls: Array.from({ length: hosts }, (_, host) => `${origin(host)}/`) },
    follow: [{ links: 'a.p', as: 'page', on: 'start' }],
    crawl: { ...(concurrency !== undefined && { concurrency }), scope: 'any' },
    extract: { on: 'page', fields: { title: 'h1' } },
    output: { unique: ['title'] },
  }
  return { pages: web, recipe, rows, urls: hosts * (pages + 1) }
}
