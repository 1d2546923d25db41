import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import type { ComponentType } from 'preact'
import { isAway, watchServer, whenBack } from './away.ts'
import { keepFocus } from './keep-focus.ts'
import { useAnswer } from './parts/ask.ts'
import { entryProblemOf, isOffline, isSignedOut } from './parts/problem.ts'
import { To, Unread, Wrong } from './parts/show.tsx'
import { screenAddress } from './screen-address.ts'
import { SignIn } from './screens/sign-in.tsx'
import { Start } from './screens/start.tsx'
import { can, client, facts, key, me, signIn, signInByLink } from './session.ts'
import { followLook, look, LOOKS } from './choices.ts'
import { forgetOthers, forgetTyped } from './tab-entries.ts'
import { words } from './words.ts'
import { language, LANGUAGES, speak } from './words/language.ts'
import type { Scope } from '../../kernel/scope.ts'

const problem = signal<string | null>(null)
/**
 * On a narrow screen the sections are hidden until they are requested, and again after one is
 * chosen.
 */
const isMenuOpen = signal(false)
/** The error of the sign-in link that led here, until the user signs in in another way. */
let linkProblem: string | null = null

async function learnMe(): Promise<void> {
  try {
    const caller = await client.value.me.get()
    const change = forgetOthers(JSON.stringify([caller.account, caller.user]))
    if (change === 'reloads') return
    const isSteady = change === 'same'
    me.value = isSteady ? caller : null
    isSignedOut.value = false
    problem.value = isSteady ? null : words.signIn.unsteady
  } catch (error) {
    problem.value = entryProblemOf(error) ?? linkProblem
    me.value = null
    if (isOffline(error)) whenBack(() => void learnMe())
  }
}

/** Screens that are loaded together, with the first of them that is shown. */
const work = async () => (await import('./screens/work-screens.ts')).workScreens
const account = async () => (await import('./screens/account-screens.ts')).accountScreens
const operator = async () => (await import('./screens/operator-screens.ts')).operatorScreens

const SCREENS: Readonly<Record<string, () => Promise<ComponentType>>> = {
  build: async () => (await work()).build,
  tasks: async () => (await work()).tasks,
  task: async () => (await work()).task,
  runs: async () => (await work()).runs,
  run: async () => (await work()).run,
  datasets: async () => (await work()).datasets,
  dataset: async () => (await work()).dataset,
  templates: async () => (await work()).templates,
  template: async () => (await work()).template,
  schedules: async () => (await work()).schedules,
  usage: async () => (await account()).usage,
  keys: async () => (await account()).keys,
  webhooks: async () => (await account()).webhooks,
  agents: async () => (await account()).agents,
  reference: async () => (await account()).reference,
  operator: async () => (await operator()).operator,
  'operator-account': async () => (await operator())['operator-account'],
}

/** Screens in the navigation, each with its required scope. */
const NAVIGATION: readonly (readonly [screen: keyof typeof words.nav, scope: Scope | null])[] = [
  ['tasks', 'tasks:read'],
  ['runs', 'executions:read'],
  ['datasets', 'datasets:read'],
  ['templates', null],
  ['schedules', 'tasks:read'],
  ['usage', 'billing:read'],
  ['keys', 'keys:read'],
  ['webhooks', 'webhooks:read'],
  ['agents', null],
  ['reference', null],
  ['operator', 'operator'],
]

/** Screens that were shown before, so they can be shown at once. */
const loaded: Record<string, ComponentType | undefined> = {}

function Later({ name }: { readonly name: string }) {
  // If the server does not answer, the screen is loaded again later, like all other requests.
  const { problem: wrong } = useAnswer(async () => {
    loaded[name] ??= await SCREENS[name]?.()
    return loaded[name]
  }, [name])
  const Screen = loaded[name]
  if (Screen !== undefined) return <Screen />
  return wrong === null ? <p role="status">{words.loading}</p> : <Wrong problem={wrong} />
}

/** The required scope of a screen, and its title. */
function needOf(screen: string): readonly [Scope | null, string] {
  if (screen === 'build') return ['tasks:write', words.builder.title]
  // The scope of a tool is enough to see a run that the tool has started.
  const section = NAVIGATION.find(([name]) => screen !== 'run' && isBelow(screen, name))
  return section === undefined ? [null, ''] : [section[1], words.nav[section[0]]]
}

function Current() {
  const { screen, query } = screenAddress.value
  if (screen === '') return <Start />
  if (!Object.hasOwn(SCREENS, screen)) return <p role="alert">{words.errors.noScreen}</p>
  const [scope, title] = needOf(screen)
  // Each request would be refused.
  if (scope !== null && !can(scope))
    return <Unread title={title} problem={words.errors.needs(scope)} />
  // Another record gets a new screen, so nothing of the previous one stays.
  return <Later key={`${screen} ${query.get('id') ?? ''}`} name={screen} />
}

function App() {
  if (me.value === undefined) return null
  if (me.value === null)
    return <SignIn problem={problem.value} isRefused={key.value !== null} onKey={enter} />
  return (
    <>
      <a class="skip" href="#main">
        {words.skip}
      </a>
      <header>
        <To class="brand" screen="">
          {facts.title}
        </To>
        <button
          type="button"
          id="menu"
          class="quiet menu"
          aria-expanded={isMenuOpen.value}
          aria-controls="nav"
          onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
        >
          {words.navigation}
        </button>
        <nav
          id="nav"
          class={isMenuOpen.value ? 'open' : undefined}
          aria-label={words.navigation}
          onClick={leaveMenu}
        >
          {NAVIGATION.filter(([, scope]) => scope === null || can(scope)).map(([screen]) => (
            <To key={screen} screen={screen} current={isBelow(screenAddress.value.screen, screen)}>
              {words.nav[screen]}
            </To>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => enter(null)}>
          {words.signIn.out}
        </button>
      </header>
      {isAway.value && (
        <p class="away" role="alert">
          {words.errors.offline}
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Current />
      </main>
      <footer>
        <Choices />
      </footer>
    </>
  )
}

/** The look and the language of the console. */
function Choices() {
  return (
    <div class="manners">
      <select
        aria-label={words.look.title}
        value={look}
        onChange={({ currentTarget: { value } }) =>
          (look.value = LOOKS.find((name) => name === value) ?? 'system')
        }
      >
        {LOOKS.map((name) => (
          <option key={name} value={name}>
            {words.look[name]}
          </option>
        ))}
      </select>
      <select
        aria-label={words.language}
        value={language}
        onChange={({ currentTarget: { value } }) => speak(value)}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** `task` is below `tasks`, and `operator-account` below `operator`. */
function isBelow(screen: string, section: string): boolean {
  return screen === section || `${screen}s` === section || screen === `${section}-account`
}

/** The focus would be lost together with the followed link. */
function leaveMenu(): void {
  if (!isMenuOpen.value) return
  isMenuOpen.value = false
  document.getElementById('menu')?.focus()
}

function enter(secret: string | null): void {
  problem.value = linkProblem = null
  signIn(secret)
  if (secret === null) {
    forgetTyped()
    // No shown or created data stays in memory.
    return location.reload()
  }
  void learnMe()
}

effect(() => {
  if (!isSignedOut.value || me.peek() === null) return
  problem.value = words.signIn.ended
  me.value = null
})

const root = document.getElementById('app')
followLook()
void watchServer()
if (root) {
  keepFocus(root)
  render(<App />, root)
}
linkProblem = await signInByLink()
await learnMe()
