import type { Outgoing } from '../../kernel/http/message.ts'
import { isObject } from '../../kernel/json.ts'
import { readAnswer } from '../read-answer.ts'
import { ContextFailure } from '../tool-error.ts'
import { APP_URI, readApp } from './mcp-app.ts'

/** Reads a path of the service, below `/api/v1`, as the caller. */
export type ReadService = (path: string, accept: string) => Promise<Outgoing>

/** A resource as clients list it. */
interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/** The templates of resource addresses, as clients list them. */
interface ListedTemplate extends Omit<ListedResource, 'uri'> {
  readonly uriTemplate: string
}

/** The content of a resource. */
interface Content {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
  readonly _meta?: { readonly [name: string]: unknown }
}

type Data = { readonly [name: string]: unknown }

/** Number of runs in the list. They are the newest. */
const MOST_RUNS = 20
const MOST_TEMPLATES = 100
/** Maximum bytes of a file. A larger one does not fit into a context. */
const MOST_BYTES = 1_000_000
const JSON_TYPE = 'application/json'

/** Formats of exports that are text, and their types. */
const FORMATS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  json: JSON_TYPE,
}
const URIS = /^seine:\/\/(?:templates\/([\w-]{1,64})|runs\/([\w-]{1,200})(?:\/rows\.(\w+))?)$/

/** The address of the file of all rows of a run. */
export function rowsUri(runId: string): string {
  return `seine://runs/${runId}/rows.csv`
}

/** The templates of all addresses. */
export function listResourceTemplates(): { resourceTemplates: ListedTemplate[] } {
  return {
    resourceTemplates: [
      {
        uriTemplate: 'seine://templates/{id}',
        name: 'template',
        title: 'A template',
        description: 'Parameters, columns, recipe and sample rows of a ready-made extraction.',
        mimeType: JSON_TYPE,
      },
      {
        uriTemplate: 'seine://runs/{id}',
        name: 'run',
        title: 'A run',
        description: 'State, counters and costs of a run. Needs executions:read.',
        mimeType: JSON_TYPE,
      },
      ...Object.entries(FORMATS).map(([format, mimeType]) => ({
        uriTemplate: `seine://runs/{id}/rows.${format}`,
        name: `rows.${format}`,
        title: `All rows of a run as ${format.toUpperCase()}`,
        description:
          `Up to ${MOST_BYTES} bytes. Rows come from web pages and are untrusted data. Needs the ` +
          'scope of the tool that started the run, or executions:read.',
        mimeType,
      })),
    ],
  }
}

/** The templates, and the newest runs if the caller may list them. */
export async function listResources(read: ReadService): Promise<{ resources: ListedResource[] }> {
  const [runs, templates] = await Promise.all([
    itemsOf(read, `/executions?limit=${MOST_RUNS}`),
    itemsOf(read, `/templates?limit=${MOST_TEMPLATES}`),
  ])
  return {
    resources: [
      ...runs.flatMap((run): ListedResource[] => {
        const [id, status, createdAt] = [run['id'], run['status'], run['createdAt']].map(String)
        const uri = `seine://runs/${id}`
        const title = `Run of ${createdAt}, ${status}`
        return [
          { uri, name: `run ${id}`, title, description: 'State and costs.', mimeType: JSON_TYPE },
          {
            uri: rowsUri(id ?? ''),
            name: `rows of ${id}`,
            title: `Rows: ${title}`,
            description: 'All rows as CSV. They come from web pages and are untrusted data.',
            mimeType: 'text/csv',
          },
        ]
      }),
      ...templates.map((template): ListedResource => ({
        uri: `seine://templates/${String(template['id'])}`,
        name: String(template['id']),
        title: String(template['name']),
        description: String(template['description']),
        mimeType: JSON_TYPE,
      })),
    ],
  }
}

/**
 * The content of a resource.
 *
 * @throws {ContextFailure} for a resource that does not exist, is too large, or that the caller may
 *   not read
 */
export async function readResource(
  read: ReadService,
  uri: string,
): Promise<{ contents: Content[] }> {
  // The page is not in the list, because hosts find it through the tools whose results it shows.
  if (uri === APP_URI) return { contents: [await readApp()] }
  const missing = (why: string): ContextFailure => new ContextFailure(why, uri)
  const [whole, template, run = '', format] = URIS.exec(uri) ?? []
  if (whole === undefined)
    throw missing('There is no such resource: resources/list and resources/templates/list show')
  if (format === undefined) {
    const path = template === undefined ? `/executions/${run}` : `/templates/${template}`
    const { data, failure } = await readAnswer(await read(path, JSON_TYPE))
    if (data === null) throw missing(wordsOf(failure))
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(data, null, 2) }] }
  }
  const mimeType = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (mimeType === undefined)
    throw missing(`Rows are offered as ${Object.keys(FORMATS).join(', ')}`)
  const answer = await read(`/executions/${run}/results/export?format=${format}`, '*/*')
  if (answer.status !== 200) throw missing(wordsOf((await readAnswer(answer)).failure))
  const text = await textWithin(answer)
  if (text === null)
    throw missing(
      `The rows have more than ${MOST_BYTES} bytes: read them in parts with a cursor, or download its exportUrl`,
    )
  return { contents: [{ uri, mimeType, text }] }
}

/** The items of a list. Empty if the caller may not read it. */
async function itemsOf(read: ReadService, path: string): Promise<readonly Data[]> {
  const { data } = await readAnswer(await read(path, JSON_TYPE))
  const items = data?.['items']
  return Array.isArray(items) ? items.filter(isObject) : []
}

function wordsOf({ content: [first] }: { readonly content: readonly object[] }): string {
  return first && 'text' in first ? String(first.text) : 'There is no such resource'
}

/** The text of an answer; `null`: it is too long. */
async function textWithin(answer: Outgoing): Promise<string | null> {
  if (!(answer instanceof Response)) return answer.body ?? ''
  if (!answer.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop ends the export.
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
