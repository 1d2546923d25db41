import { useEffect, useRef, useState } from 'preact/hooks'
import { isObject } from '../../../kernel/json.ts'
import { callApi } from '../session.ts'
import { words } from '../words.ts'
import { change, draft, problem } from './draft.ts'
import type { JsonEditor } from './json-editor.ts'

/** The recipe's JSON Schema, with the definitions that it refers to. */
let schema: unknown = null

async function learnSchema(): Promise<void> {
  if (schema !== null) return
  const description: unknown = await (await callApi('/api/v1/openapi.json')).json()
  if (isObject(description)) schema = { ...description, $ref: '#/components/schemas/Recipe' }
}

/**
 * The recipe as JSON, both ways: what is typed changes the form, and the other way round. The
 * editor is loaded when the tab is first shown; a plain field stands there until it comes, and
 * where it cannot come.
 */
export function JsonTab() {
  const recipe = draft.value?.recipe
  const json = JSON.stringify(recipe, null, 2)
  const [typed, setTyped] = useState(json)
  const [wrong, setWrong] = useState<string | null>(null)
  const [editor, setEditor] = useState<JsonEditor | null>(null)
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(typed)
  latest.current = typed
  /** The recipe as this tab gave it: it is not written over the text that it was typed as. */
  const lastText = useRef<string | null>(null)

  function type(text: string): void {
    setTyped(text)
    try {
      const value: unknown = JSON.parse(text)
      if (!isObject(value)) return setWrong(words.builder.noObject)
      setWrong(null)
      // The server names what is wrong with a recipe, by its path.
      const typedRecipe = Object.assign({ start: {} }, value)
      lastText.current = JSON.stringify(typedRecipe, null, 2)
      change(typedRecipe)
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
    }
  }

  useEffect(() => {
    if (lastText.current === json) return
    lastText.current = null
    setTyped((now) => (sameJson(now, json) ? now : json))
    editor?.set(json)
  }, [json, editor])
  useEffect(() => {
    editor?.mark(problem.value)
  }, [editor, typed, problem.value])
  useEffect(() => {
    let opened: JsonEditor | null = null
    let isLeft = false
    void learnSchema().catch(() => undefined)
    import('./json-editor.ts').then(
      ({ openJsonEditor }) => {
        if (isLeft || host.current === null) return
        opened = openJsonEditor({
          // Its style sheets come by script, which the page's policy allows in a root of their own.
          root: host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }),
          text: latest.current,
          label: words.builder.json,
          schema: () => schema,
          onText: type,
        })
        setEditor(opened)
      },
      () => undefined,
    )
    return () => {
      isLeft = true
      opened?.close()
    }
  }, [])

  return (
    <div class="stack">
      {editor === null && (
        <>
          <label for="recipe">{words.builder.json}</label>
          <textarea
            id="recipe"
            rows={20}
            spellcheck={false}
            value={typed}
            aria-invalid={wrong !== null}
            aria-describedby="recipe-problem"
            onInput={(event) => type(event.currentTarget.value)}
          />
        </>
      )}
      <div ref={host} class="json-editor" hidden={editor === null} />
      <div id="recipe-problem" role="alert">
        {wrong}
        {wrong === null &&
          problem.value?.issues.map(({ path, message }) => (
            <p key={path}>
              <code>{path}</code> {message}
            </p>
          ))}
      </div>
    </div>
  )
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
  } catch {
    return false
  }
}
