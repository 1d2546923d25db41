import type { getDomain } from 'tldts-icann'

let find: typeof getDomain | null = null

/** Loads the list of public suffixes, which is too large for those whose crawls stay on a host. */
export async function loadPublicSuffixes(): Promise<void> {
  find ??= (await import('tldts-icann')).getDomain
}

/**
 * The registrable domain by the public suffix list; an address or a name without one stands for
 * itself.
 *
 * @throws {Error} where the list is not loaded
 */
export function domainOf(url: URL): string {
  if (find === null)
    throw new Error('The list of public suffixes is not loaded: await prepareRecipe(recipe) first')
  return find(url.hostname) ?? url.host
}
