import { computed, signal } from '@preact/signals'
import { createClient } from '../../client.ts'
import type { Client, ClientOptions, Me } from '../../client.ts'
import { grants } from '../../kernel/scope.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { PageFacts } from '../page.ts'
import { words } from './words.ts'

/** Facts that the server gives this page, in a `meta` element. */
export const facts: PageFacts = JSON.parse(
  document.querySelector('meta[name="seine-console"]')?.getAttribute('content') ?? '{}',
)

/** The entry with the key of this tab. It is deleted when the tab is closed. */
const STORED = 'seine.key'

/** The API key of this tab. `null`: the host's own session is used, if there is one. */
export const key = signal<string | null>(sessionStorage.getItem(STORED))

/** The caller. `null`: nobody is signed in; `undefined`: not known yet. */
export const me = signal<Me | null | undefined>(undefined)

/** True if the caller has a scope. */
export function can(scope: Scope): boolean {
  return grants(me.value?.scopes ?? [], scope)
}

/** The URL of the API, without a slash at the end. */
export function apiAddress(): string {
  return new URL(facts.api || '/', location.href).href.replace(/\/$/, '')
}

/** Calls a part of the API for which the client has no method. `path` begins with a slash. */
export function callApi(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${apiAddress()}${path}`, init)
}

/** The client of the API, with the key of this tab. */
export const client = computed<Client>(() => createClient(options()))

function options(): ClientOptions {
  return {
    baseUrl: new URL(facts.api || '/', location.href),
    ...(key.value !== null && { apiKey: key.value }),
  }
}

const ONCE = 'Idempotency-Key'

/**
 * A client for one attempt of a user. A second write to the same address has the same idempotency
 * key, so it has its effect once.
 */
export function attemptClient(): Client {
  const keys: Record<string, string> = {}
  return createClient({
    ...options(),
    fetch: (request) => {
      const { headers, method, url } = request
      const once = headers.get(ONCE)
      if (once !== null) headers.set(ONCE, (keys[method + url] ??= once))
      return fetch(request)
    },
  })
}

/** Signs in with a key, or out with `null`. */
export function signIn(secret: string | null): void {
  if (secret === null) sessionStorage.removeItem(STORED)
  else sessionStorage.setItem(STORED, secret)
  key.value = secret
}

/**
 * Exchanges the one-time code of a sign-in link for a key. The code is removed from the address at
 * once, so that no history has it.
 *
 * @returns what is wrong with the link; `null`: nothing, or there was no code
 */
export async function signInByLink(): Promise<string | null> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return null
  history.replaceState(null, '', location.pathname + location.search)
  const answer = await exchange(code)
  if (answer === null) return words.errors.offline
  const { ok, text } = answer
  if (!ok) return text
  signIn(text)
  return null
}

/** `null`: the server does not answer. */
async function exchange(code: string): Promise<{ ok: boolean; text: string } | null> {
  try {
    const response = await fetch(`${facts.base}/session`, { method: 'POST', body: code })
    return { ok: response.ok, text: await response.text() }
  } catch {
    return null
  }
}
