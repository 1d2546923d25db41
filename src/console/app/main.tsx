import { signal } from '@preact/signals'
import { render } from 'preact'
import type { ComponentType } from 'preact'
import { addressOf, go, place } from './place.ts'
import { SignIn } from './screens/sign-in.tsx'
import { Start } from './screens/start.tsx'
import { client, facts, key, signIn, signInByLink } from './session.ts'
import { words } from './words.ts'

/** Who the caller is; `null`: nobody yet; `undefined`: not known yet. */
const me = signal<{ readonly account: string } | null | undefined>(undefined)
const problem = signal<string | null>(null)

async function learnMe(): Promise<void> {
  try {
    me.value = await client.value.me.get()
  } catch {
    me.value = null
  }
}

/** The builder is loaded when it is first shown. */
const builder = signal<ComponentType | null>(null)

function Later() {
  const Screen = builder.value
  if (Screen !== null) return <Screen />
  import('./builder/builder.tsx').then(
    (loaded) => (builder.value = loaded.Builder),
    () => (problem.value = words.errors.offline),
  )
  return <p role="status">{problem.value ?? words.loading}</p>
}

function App() {
  if (me.value === undefined) return null
  if (me.value === null)
    return <SignIn problem={problem.value} isRefused={key.value !== null} onKey={enter} />
  return (
    <>
      <header>
        <a
          class="brand"
          href={addressOf('')}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            go('')
          }}
        >
          {facts.title}
        </a>
        <button type="button" class="quiet" onClick={() => enter(null)}>
          {words.signIn.out}
        </button>
      </header>
      <main>{place.value.screen === 'build' ? <Later /> : <Start />}</main>
    </>
  )
}

function enter(secret: string | null): void {
  problem.value = null
  signIn(secret)
  void learnMe()
}

const root = document.getElementById('app')
if (root) render(<App />, root)
problem.value = await signInByLink()
await learnMe()
