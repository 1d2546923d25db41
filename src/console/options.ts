import { textLike } from '../kernel/options.ts'
import type { Incoming, Outgoing } from '../kernel/http/message.ts'

/** The type of the option `path`. It must not hide paths that the platform itself answers. */
export const consolePath = textLike(
  'a path such as /console, and not /api, /docs, /mcp or /media, which the platform answers',
  (text) => /^\/(?!(?:api|docs|mcp|media)$)[\w-]+$/.test(text),
)

/** The path of a console below the mount path; `null`: there is none. */
export function consolePathOf(chosen: ConsoleOptions | Console | boolean = false): string | null {
  if (chosen === false) return null
  return (chosen !== true && chosen.path) || '/console'
}

/** Options of `createConsole`. */
export interface ConsoleOptions {
  /**
   * Its path below the mount path, one segment. Default `/console`. It hides other routes at this
   * path.
   */
  readonly path?: string
  /** The name that people see. Default `Seine`. */
  readonly title?: string
  /** The address of the host's own login, for people without a session or a key. */
  readonly signIn?: string
  /**
   * Exchanges the one-time code of a sign-in link for an API key; `null`: the code is not valid. A
   * link is `<console>#code=<code>`, because a fragment is never sent to a server.
   */
  readonly exchange?: (code: string) => Promise<string | null>
  /** True: `/` of the mount path leads to the console. */
  readonly home?: boolean
}

/** The address of a request for the console. */
export interface ConsolePath {
  /** Path of the console for its readers, without a slash at the end: `/console`. */
  readonly base: string
  /** Path of the API for its readers, without a slash at the end. Empty: the root. */
  readonly api: string
  /** The rest of the path: empty, or with a slash before it. */
  readonly rest: string
}

/** A console from `createConsole`. Platforms mount it. */
export interface Console {
  /** Absent: `/console`. */
  readonly path?: string | undefined
  readonly home: boolean
  reply(request: Incoming, path: ConsolePath): Promise<Outgoing>
}
