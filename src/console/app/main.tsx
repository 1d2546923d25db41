import { signal } from '@preact/signals'
import { render } from 'preact'
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

function App() {
  if (me.value === undefined) return null
  if (me.value === null)
    return <SignIn problem={problem.value} isRefused={key.value !== null} onKey={enter} />
  return (
    <>
      <header>
        <a class="brand" href={facts.base}>
          {facts.title}
        </a>
        <button type="button" class="quiet" onClick={() => enter(null)}>
          {words.signIn.out}
        </button>
      </header>
      <main>
        <Start />
      </main>
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
