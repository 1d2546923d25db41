import type { RecipeInput } from '../../../client.ts'

/** A call of the API, as a screen makes it. */
export interface CopiedCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Its path with its query, such as `/api/v1/tasks?limit=10`. */
  readonly path: string
  readonly body?: unknown
  /** The operation of the client, such as `tasks.list`. Absent: the client has none. */
  readonly operation?: string
  readonly args: readonly unknown[]
  /** The words after `seine` on a command line. Absent: the command has none. */
  readonly command?: string
  /** The tool of agents for the same. Absent: agents have none. */
  readonly tool?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  /** A note on the part of the screen that no call returns. */
  readonly note?: string | undefined
}

/** A way to make the same call outside of the console. */
export interface Copy {
  readonly name: string
  readonly text: string
}

/** A call in all ways of calling the service. `api`: its address. The result contains no key. */
export function copiesOf(call: CopiedCall, api: string): readonly Copy[] {
  const { method, path, body, operation, args, command, tool } = call
  const url = api + path
  const json = body === undefined ? null : JSON.stringify(body, null, 2)
  const curl = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    `-H 'X-API-Key: YOUR_KEY'`,
    ...(json === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(json)}`]),
  ]
  return [
    { name: 'curl', text: curl.join(' \\\n  ') },
    ...(operation === undefined
      ? []
      : [{ name: 'TypeScript', text: clientCall(operation, args, api) }]),
    { name: 'Python', text: pythonOf(method, url, json) },
    ...(command === undefined
      ? []
      : [{ name: 'CLI', text: `export SEINE_URL='${api}' SEINE_KEY=YOUR_KEY\nseine ${command}` }]),
    ...(tool === undefined
      ? []
      : [{ name: 'MCP', text: JSON.stringify({ method: 'tools/call', params: tool }, null, 2) }]),
  ]
}

function clientCall(operation: string, args: readonly unknown[], api: string): string {
  const texts = args.map((arg) => JSON.stringify(arg, null, 2)).join(', ')
  return `import { createClient } from 'seine/client'

const client = createClient({ baseUrl: '${api}', apiKey: process.env.SEINE_KEY })
console.log(await client.${operation}(${texts}))`
}

/** The query of a list. Columns are names, which the client and the API write differently. */
export type CopiedQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** A list on screen, for {@link listCall}. */
export interface CopiedList {
  /** Its path below `/api/v1`, such as `tasks`. */
  readonly path: string
  /** The operation of the client, such as `tasks.list`. */
  readonly operation: string
  /** Arguments of the client before the query. */
  readonly ids?: readonly string[]
  readonly query: CopiedQuery
  /** The words after `seine` on a command line, without flags. Absent: the command has none. */
  readonly command?: string | undefined
  /** Flags of the command whose names differ from those of the query. */
  readonly flags?: Readonly<Record<string, string>>
}

/** The call of a list with its filters. */
export function listCall({
  path,
  operation,
  ids = [],
  query,
  command,
  flags = {},
}: CopiedList): CopiedCall {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const texts = pairs.map(
    ([name, value]) => [name, typeof value === 'object' ? columnsText(value) : `${value}`] as const,
  )
  const search = new URLSearchParams(texts.map(([name, text]) => [name, text])).toString()
  const words = texts.map(([name, text]) => {
    const flag = `--${flags[name] ?? name}`
    return text.startsWith('-') ? ` ${flag}=${shellWord(text)}` : ` ${flag} ${shellWord(text)}`
  })
  return {
    method: 'GET',
    path: `/api/v1/${path}${search === '' ? '' : `?${search}`}`,
    operation,
    args: [...ids, ...(pairs.length === 0 ? [] : [Object.fromEntries(pairs)])],
    ...(command !== undefined && {
      command: [command, ...ids.map(shellWord)].join(' ') + words.join(''),
    }),
  }
}

/** Columns in the form of the API: a name with a comma is in quotes, as in JSON. */
function columnsText(names: readonly string[]): string {
  return names.map((name) => (name.includes(',') ? JSON.stringify(name) : name)).join(',')
}

/** The run of a recipe in all ways. */
export function copiesOfRecipe(recipe: RecipeInput, api: string): readonly Copy[] {
  const json = JSON.stringify(recipe, null, 2)
  const call: CopiedCall = {
    method: 'POST',
    path: '/api/v1/executions',
    body: { recipe },
    operation: 'executions.run',
    args: [{ recipe }],
  }
  return [
    ...copiesOf(call, api),
    {
      name: 'CLI',
      text: `cat > recipe.json <<'END'\n${json}\nEND\nseine extract --recipe recipe.json --out rows.csv`,
    },
    { name: 'JSON', text: json },
  ]
}

function pythonOf(method: string, url: string, json: string | null): string {
  const call = `requests.${method.toLowerCase()}(${JSON.stringify(url)}`
  const headers = "headers={'X-API-Key': os.environ['SEINE_KEY']})"
  const end = `answer.raise_for_status()\nprint(answer.json()['data'])`
  if (json === null) return `import os, requests\n\nanswer = ${call}, ${headers}\n${end}`
  return `import json, os, requests

body = json.loads(r'''${json.replaceAll("'''", String.raw`\u0027\u0027\u0027`)}''')
answer = ${call}, json=body,
    ${headers}
${end}`
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : shellQuoted(text)
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
