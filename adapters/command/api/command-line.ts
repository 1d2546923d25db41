import type { ConnectionFlags } from './connection.ts'

/** Stands where a password was: a shell takes it as one word. */
const HIDDEN = 'PASSWORD'

/** The flags that name where the data is. Keys, and passwords of URLs, are not repeated. */
export function connectionWords(where: ConnectionFlags): string[] {
  return (['url', 'data', 'store', 'blobs', 'config', 'account', 'user'] as const).flatMap(
    (name) => {
      const value = where[name]
      if (value === undefined) return []
      return [`--${name}`, name === 'store' ? withoutPassword(value) : value]
    },
  )
}

/** The URL of a store. Drivers take a password before the host, and as a parameter, too. */
function withoutPassword(store: string): string {
  const [, scheme] = /^((?:postgres|redis)[a-z]*):/i.exec(store) ?? []
  if (scheme === undefined) return store
  // Drivers read some addresses that this cannot: none of their parts is known.
  if (!URL.canParse(store)) return `${scheme}://…`
  const url = new URL(store)
  if (url.password !== '') url.password = HIDDEN
  for (const name of new Set(url.searchParams.keys()))
    if (/password/i.test(name)) url.searchParams.set(name, HIDDEN)
  return url.href
}

/** A line for a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

function shellWord(word: string): string {
  if (/^[\w./:=@-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
