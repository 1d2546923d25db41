import { useEffect, useState } from 'preact/hooks'
import { words } from '../words.ts'
import { change, draft, problem } from './draft.ts'

/** The recipe as JSON, both ways: what is typed changes the form, and the other way round. */
export function JsonTab() {
  const recipe = draft.value?.recipe
  const written = JSON.stringify(recipe, null, 2)
  const [typed, setTyped] = useState(written)
  const [wrong, setWrong] = useState<string | null>(null)
  useEffect(() => {
    setTyped((now) => (sameJson(now, written) ? now : written))
  }, [written])
  return (
    <div class="stack">
      <label for="recipe">{words.builder.json}</label>
      <textarea
        id="recipe"
        rows={20}
        spellcheck={false}
        value={typed}
        aria-invalid={wrong !== null}
        aria-describedby="recipe-problem"
        onInput={(event) => {
          const text = event.currentTarget.value
          setTyped(text)
          try {
            const value: unknown = JSON.parse(text)
            if (typeof value !== 'object' || value === null || Array.isArray(value))
              return setWrong(words.builder.noObject)
            setWrong(null)
            // The server names what is wrong with a recipe, by its path.
            change(Object.assign({ start: {} }, value))
          } catch (error) {
            setWrong(error instanceof Error ? error.message : String(error))
          }
        }}
      />
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
