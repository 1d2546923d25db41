import { useSignal } from '@preact/signals'
import { isObject } from '../../../kernel/json.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { apiAddress, callApi, key } from '../session.ts'
import { words } from '../words.ts'

/** Operations that are shown at once. */
const MOST = 40

/** One operation of the OpenAPI description. */
interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** An example of its body; `null`: it takes no body. */
  readonly body: string | null
}

interface Parameter {
  readonly name: string
  readonly location: string
  readonly about: string
  readonly isRequired: boolean
}

/** All operations, each with a form that sends it with the key of this tab. */
export function Reference() {
  const q = screenAddress.value.query.get('q') ?? ''
  const operations = useAnswer(readOperations, [])
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean)
  const matching =
    operations.value?.filter((operation) => {
      const text = JSON.stringify(operation).toLowerCase()
      return terms.every((term) => text.includes(term))
    }) ?? []
  return (
    <>
      <h1>{words.reference.title}</h1>
      <p>
        {words.reference.about} <a href={`${apiAddress()}/docs`}>{words.reference.whole}</a>
      </p>
      <div class="filters">
        <label>
          <span>{words.reference.search}</span>
          <input
            type="search"
            value={q}
            onInput={({ currentTarget: { value } }) =>
              go('reference', value === '' ? {} : { q: value }, true)
            }
          />
        </label>
      </div>
      <Wrong problem={operations.problem} />
      {operations.value && matching.length === 0 && <p>{words.reference.none}</p>}
      {matching.slice(0, MOST).map((operation) => (
        <OperationOf key={operation.id} operation={operation} />
      ))}
      {matching.length > MOST && <p>{words.schedules.more(matching.length - MOST)}</p>}
    </>
  )
}

function OperationOf({ operation }: { readonly operation: Operation }) {
  const { method, path, summary, description, parameters } = operation
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const body = useSignal(operation.body ?? '')
  const answer = useSignal<{ readonly status: number; readonly text: string } | null>(null)
  const action = useAction()
  const send = () =>
    action.run(async () => {
      const response = await callApi(pathOf(operation, typed.value), {
        method,
        headers: {
          ...(key.value !== null && { 'X-API-Key': key.value }),
          ...(operation.body !== null && { 'Content-Type': 'application/json' }),
        },
        ...(operation.body !== null && { body: body.value }),
      })
      answer.value = { status: response.status, text: pretty(await textUpTo(response)) }
    })
  return (
    <details class="tool">
      <summary>
        <code>{method}</code> <code>{path}</code> {summary}
      </summary>
      {description !== '' && <p class="pre">{description}</p>}
      <form
        class="stack wide"
        onSubmit={(event) => {
          event.preventDefault()
          if (method === 'GET' || confirm(words.reference.sure)) send()
        }}
      >
        {parameters.map(({ name, location: where, about, isRequired }) => {
          const id = `${operation.id}-${name}`
          return (
            <div key={name} class="field">
              <label for={id}>
                {name} <small>({where})</small>
              </label>
              <input
                id={id}
                required={isRequired}
                value={typed.value[name] ?? ''}
                onInput={({ currentTarget: { value } }) =>
                  (typed.value = { ...typed.value, [name]: value })
                }
              />
              <small>{about}</small>
            </div>
          )
        })}
        {operation.body !== null && (
          <div class="field">
            <label for={`${operation.id}-body`}>{words.reference.body}</label>
            <textarea
              id={`${operation.id}-body`}
              rows={6}
              value={body}
              onInput={(event) => (body.value = event.currentTarget.value)}
            />
          </div>
        )}
        <div class="choices">
          <button type="submit" disabled={action.isBusy}>
            {words.reference.send}
          </button>
        </div>
      </form>
      <Wrong problem={action.problem} />
      {answer.value && (
        <pre tabIndex={0} role="region" aria-label={words.reference.answer(answer.value.status)}>
          {words.reference.answer(answer.value.status)}
          {'\n'}
          {answer.value.text}
        </pre>
      )}
    </details>
  )
}

function pathOf({ path, parameters }: Operation, typed: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(typed[name] ?? ''),
  )
  const query = new URLSearchParams(
    parameters
      .filter(({ name, location: where }) => where === 'query' && (typed[name] ?? '') !== '')
      .map(({ name }) => [name, typed[name] ?? '']),
  )
  return `${filled}${query.size === 0 ? '' : `?${query}`}`
}

/** Characters of an answer that are shown. */
const MOST_TEXT = 100_000
/** How long an answer may take to end, such as that of an event stream, in ms. */
const MOST_MS = 5_000

/** The text of an answer. What does not end by itself is left after a while. */
async function textUpTo(response: Response): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const over = new AbortController()
  systemClock.sleep(MOST_MS, over.signal).then(
    () => void reader.cancel(),
    () => undefined,
  )
  let text = ''
  try {
    while (text.length < MOST_TEXT) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
    }
  } finally {
    over.abort()
    await reader.cancel()
  }
  return text.slice(0, MOST_TEXT)
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Reads the OpenAPI description; parts of an unexpected form are left out. */
async function readOperations(): Promise<Operation[]> {
  const response = await callApi('/api/v1/openapi.json')
  const description: unknown = await response.json()
  const paths = isObject(description) && isObject(description['paths']) ? description['paths'] : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, value]) => {
      if (!isObject(value) || typeof value['operationId'] !== 'string') return []
      const { operationId, summary, description: about, parameters } = value
      return [
        {
          id: operationId,
          method: method.toUpperCase(),
          path,
          summary: textOf(summary),
          description: textOf(about),
          parameters: Array.isArray(parameters) ? parameters.flatMap(parameterOf) : [],
          body: bodyOf(value['requestBody']),
        },
      ]
    }),
  )
}

function parameterOf(value: unknown): Parameter[] {
  if (!isObject(value) || typeof value['name'] !== 'string' || value['in'] === 'header') return []
  return [
    {
      name: value['name'],
      location: textOf(value['in']),
      about: textOf(value['description']),
      isRequired: value['required'] === true,
    },
  ]
}

/** The example of a body, or an empty object. */
function bodyOf(value: unknown): string | null {
  const content = isObject(value) && isObject(value['content']) ? value['content'] : null
  const json = content === null ? null : content['application/json']
  if (!isObject(json)) return null
  const examples = isObject(json['examples']) ? Object.values(json['examples']) : []
  const [first] = examples
  const example = json['example'] ?? (isObject(first) ? first['value'] : undefined) ?? {}
  return JSON.stringify(example, null, 2)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
