import type { RecipeInput } from '../../../client.ts'
import { apiAddress } from '../session.ts'
import { words } from '../words.ts'
import { copiesOf } from './copy-as.ts'

/** The run of a recipe as a program, a command and an agent do it. */
export function CopyAs({ recipe }: { readonly recipe: RecipeInput }) {
  return (
    <details>
      <summary>{words.finish.copy}</summary>
      {copiesOf(recipe, apiAddress()).map(({ name, text }) => (
        <Copyable key={name} name={name} text={text} />
      ))}
    </details>
  )
}

/** A text with its name, and a button that copies it. */
export function Copyable({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="copy">
      <div class="copy-head">
        <h3>{name}</h3>
        <button
          type="button"
          class="quiet"
          onClick={() => void navigator.clipboard.writeText(text)}
        >
          {words.finish.copyText(name)}
        </button>
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        {text}
      </pre>
    </div>
  )
}
