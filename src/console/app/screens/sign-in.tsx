import { useSignal } from '@preact/signals'
import { facts } from '../session.ts'
import { words } from '../words.ts'

/** Asks for a key, or links to the host's own login. */
export function SignIn({
  problem,
  isRefused,
  onKey,
}: {
  /** The error of a sign-in link. */
  readonly problem: string | null
  /** True: the last key was refused. */
  readonly isRefused: boolean
  readonly onKey: (secret: string) => void
}) {
  const typed = useSignal('')
  const message = problem ?? (isRefused ? words.signIn.refused : null)
  return (
    <main class="narrow">
      <h1>{words.signIn.title}</h1>
      {facts.signIn !== null && (
        <p>
          <a class="button" href={facts.signIn}>
            {words.signIn.host}
          </a>
        </p>
      )}
      <p id="about-key">{words.signIn.about}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onKey(typed.value.trim())
        }}
      >
        <label for="key">{words.signIn.key}</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          required
          aria-describedby="about-key"
          value={typed}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit">{words.signIn.submit}</button>
        {message !== null && <p role="alert">{message}</p>}
      </form>
    </main>
  )
}
