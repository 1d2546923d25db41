import type { RecipeInput } from '../../../client.ts'
import { apiAddress } from '../session.ts'
import { words } from '../words.ts'
import { copiesOf, copiesOfRecipe } from './copy-as.ts'
import type { CopiedCall, Copy } from './copy-as.ts'

/** The content of a screen as a call for programs, commands and agents. */
export function CopyAs(what: { readonly call: CopiedCall } | { readonly recipe: RecipeInput }) {
  const copies =
    'call' in what ? copiesOf(what.call, apiAddress()) : copiesOfRecipe(what.recipe, apiAddress())
  return (
    <details class="copies">
      <summary>{words.finish.copy}</summary>
      {'call' in what && what.call.note !== undefined && <p>{what.call.note}</p>}
      <Texts texts={copies} />
    </details>
  )
}

/** Texts to copy, each with its name. */
export function Texts({ texts }: { readonly texts: readonly Copy[] }) {
  return (
    <>
      {texts.map(({ name, text }) => (
        <div key={name} class="copy">
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
      ))}
    </>
  )
}
