import type { Authenticator, Logger } from 'seine'

/** All callers are the same, so that no key is needed. */
export const bench: Authenticator = async () => ({ account: 'bench', user: 'bench', scopes: ['*'] })

const ignore = () => undefined
export const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: console.error }
