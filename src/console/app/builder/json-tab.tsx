import { useEffect, useRef, useState } from 'preact/hooks'
import { isObject } from '../../../kernel/json.ts'
import { callApi } from '../session.ts'
import { keepText, keptText, TYPED } from '../tab-entries.ts'
import { words } from '../words.ts'
import { change, draft, problem } from './draft.ts'
import type { JsonEditor } from './json-editor.ts'

/** The recipe's JSON Schema, with the definitions that it refers to. */
let schema: unknown = null

/** The entry with a text that is not a valid recipe yet, and the recipe that it will replace. */
const BROKEN = `${TYPED}json`

async function learnSchema(): Promise<void> {
  if (schema !== null) return
  const description: unknown = await (await callApi('/api/v1/openapi.json')).json()
  if (isObject(description)) schema = { ...description, $ref: '#/components/schemas/Recipe' }
}

/**
 * The recipe as JSON. Typing changes the form, and the form changes the text. The editor is loaded
 * when the tab is first shown. Until then, or if it cannot be loaded, there is a plain field.
 */
export function JsonTab() {
  const recipe = draft.value?.recipe
  const json = JSON.stringify(recipe, null, 2)
  const [broken] = useState(() => brokenText(json))
  const [typed, setTyped] = useState(broken ?? json)
  const [wrong, setWrong] = useState(broken === null ? null : problemIn(broken))
  const [editor, setEditor] = useState<JsonEditor | null>(null)
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(typed)
  latest.current = typed
  // A ref, because the editor keeps the function of the first render.
  const latestJson = useRef(json)
  latestJson.current = json
  /** The recipe that this tab has set. It does not replace the typed text. */
  const lastText = useRef<string | null>(broken === null ? null : json)

  function type(text: string): void {
    setTyped(text)
    const message = problemIn(text)
    setWrong(message)
    keepText(BROKEN, message === null ? null : JSON.stringify([latestJson.current, text]))
    if (message !== null) return
    // The server names the errors of a recipe by their paths.
    const typedRecipe = Object.assign({ start: {} }, JSON.parse(text))
    lastText.current = JSON.stringify(typedRecipe, null, 2)
    change(typedRecipe)
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
          // Its style sheets come from a script. The page's policy allows this in a separate root.
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

/** Returns why a text is not an object. `null`: it is one. */
function problemIn(text: string): string | null {
  try {
    return isObject(JSON.parse(text)) ? null : words.builder.noObject
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns the last typed text that will replace a recipe but is not a recipe yet. */
function brokenText(json: string): string | null {
  const [before, text] = JSON.parse(keptText(BROKEN) ?? '[]')
  return before === json && typeof text === 'string' ? text : null
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
  } catch {
    return false
  }
}
