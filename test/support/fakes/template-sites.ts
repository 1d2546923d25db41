import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Json, Row } from '../../../src/kernel/json.ts'
import type { Execution } from '../../../src/features/executions/execution.ts'
import type { Answer } from './fake-web.ts'
import { root } from '../sources/sources.ts'
import { OWNER, createWorld } from '../worlds/world.ts'
import type { World } from '../worlds/world.ts'

const FOLDER = 'test/fixtures/templates'

/**
 * The content of a fixture's `site.json`: each URL with a file, a file and its headers, or `down`.
 * Absent parameters are those of the template's example.
 */
interface SiteFile {
  readonly params?: { readonly [name: string]: Json }
  readonly pages: Readonly<
    Record<
      string,
      | string
      | {
          readonly file: string
          readonly type?: string
          readonly status?: number
          readonly headers?: Record<string, string>
        }
    >
  >
}

/** A small site that a template is run on. */
export interface TemplateSite {
  readonly template: string
  readonly name: string
  /** The file with the rows that the template must give. */
  readonly rows: string
  readonly params: { readonly [name: string]: Json } | null
  readonly pages: Record<string, Answer>
}

/**
 * The sites of all templates; those of a template in the order of their names, the one of its
 * example first.
 */
export function templateSites(): TemplateSite[] {
  const sites = globSync(`${FOLDER}/*/*/site.json`, { cwd: root })
    .toSorted()
    .map((path): TemplateSite => {
      const folder = dirname(path)
      const { params, pages }: SiteFile = JSON.parse(readFileSync(join(root, path), 'utf8'))
      const [name = '', template = ''] = folder.split('/').toReversed()
      const served = Object.entries(pages).map(([url, answer]): [string, Answer] => {
        if (answer === 'down') return [url, answer]
        const {
          file,
          type = 'text/html; charset=utf-8',
          status = 200,
          headers = {},
        } = typeof answer === 'string' ? { file: answer } : answer
        return [
          url,
          {
            status,
            headers: { 'content-type': type, ...headers },
            body: readFileSync(join(root, folder, file), 'utf8'),
          },
        ]
      })
      return {
        template,
        name,
        rows: join(root, folder, 'rows.json'),
        params: params ?? null,
        pages: Object.fromEntries(served),
      }
    })
  return sites.toSorted((a, b) =>
    a.template === b.template
      ? Number(a.params !== null) - Number(b.params !== null)
      : a.template < b.template
        ? -1
        : 1,
  )
}

/** Runs a template on a site, like a user. */
export async function runOnSite({
  template,
  params,
  pages,
}: TemplateSite): Promise<{ execution: Execution; rows: Row[]; world: World }> {
  const world = createWorld(pages)
  const { id } = await world.platform.api.templates.run(OWNER, template, {
    params: params ?? (await world.platform.api.templates.get(template)).example,
  })
  await world.work()
  return { execution: await world.read(id), rows: await world.rows(id), world }
}
