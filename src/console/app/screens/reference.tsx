import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { systemClock } from '../../../defaults/system-clock.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { Facts, Wrong } from '../parts/show.tsx'
import { isOpenIn, Unfolding } from '../parts/unfolding.tsx'
import { callOf, hasTerms, pathOf, readReference } from '../reference/read-reference.ts'
import type { ApiSchema, ApiOperation } from '../reference/read-reference.ts'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { apiAddress, callApi, key } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** Number of operations that are shown at once. */
const MOST = 40

/** All operations, each with a form that sends it with the key of this tab. */
export function Reference() {
  const q = screenAddress.value.query.get('q') ?? ''
  const reference = useAnswer(
    async () => readReference(await (await callApi('/api/v1/openapi.json')).json()),
    [],
  )
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean)
  const { operations = [], schemas = [] } = reference.value ?? {}
  const texts = useMemo(
    () => new Map(schemas.map((schema) => [schema.name, JSON.stringify(schema).toLowerCase()])),
    [reference.value],
  )
  const matching = operations.filter((operation) => hasTerms(operation, texts, terms))
  const described =
    terms.length === 0
      ? []
      : schemas.filter(({ name }) => terms.every((term) => texts.get(name)?.includes(term)))
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
            onInput={({ currentTarget: { value } }) => changeQuery({ q: value })}
          />
        </label>
      </div>
      <Wrong problem={reference.problem} />
      {reference.value && matching.length + described.length === 0 && <p>{words.reference.none}</p>}
      {matching.slice(0, MOST).map((operation) => (
        <OperationOf key={operation.id} operation={operation} />
      ))}
      {matching.length > MOST && <p>{words.schedules.more(matching.length - MOST)}</p>}
      {described.length > 0 && (
        <section aria-labelledby="schemas">
          <h2 id="schemas">{words.reference.schemas}</h2>
          {described.slice(0, MOST).map((schema) => (
            <SchemaOf key={schema.name} schema={schema} />
          ))}
          {described.length > MOST && <p>{words.schedules.more(described.length - MOST)}</p>}
        </section>
      )}
    </>
  )
}

/** A schema with the descriptions of its properties. */
function SchemaOf({ schema: { name, about, parts } }: { readonly schema: ApiSchema }) {
  return (
    <Unfolding id={name} summary={<code>{name}</code>}>
      {about !== '' && <p class="pre">{about}</p>}
      <Facts facts={parts} />
    </Unfolding>
  )
}

function OperationOf({ operation }: { readonly operation: ApiOperation }) {
  const { method, path, summary, description, parameters } = operation
  const typed = useTyped<Readonly<Record<string, string>>>(operation.id, {})
  const body = useTyped(`${operation.id} body`, operation.body ?? '')
  const answer = useSignal<{ readonly status: number; readonly text: string } | null>(null)
  const action = useAction()
  const call = callOf(operation, typed.value, body.value)
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
    }, method !== 'GET')
  return (
    <Unfolding
      id={operation.id}
      summary={
        <>
          <code>{method}</code> <code>{path}</code> {summary}
        </>
      }
    >
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
      {isOpenIn(operation.id) && call && <CopyAs call={call} />}
      {answer.value && (
        <pre tabIndex={0} role="region" aria-label={words.reference.answer(answer.value.status)}>
          {words.reference.answer(answer.value.status)}
          {'\n'}
          {answer.value.text}
        </pre>
      )}
    </Unfolding>
  )
}

/** Maximum number of characters of an answer that are shown. */
const MOST_TEXT = 100_000
/** Maximum time, in ms, until an answer ends, because an event stream may not end. */
const MOST_MS = 5_000

/** The text of an answer. If the answer does not end by itself, reading stops after a while. */
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
