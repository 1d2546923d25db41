import type { Reply } from '../kernel/http/message.ts'

/** The authorization server from which callers get tokens, if the application has one (RFC 9728). */
export interface AuthorizationOptions {
  /**
   * Issuers of tokens that the application's authenticators accept, such as
   * `https://auth.example.com`. Default: none, and no OAuth metadata, because clients that see it
   * stop sending their API key.
   */
  readonly authorizationServers?: readonly string[]
  /** The audience of tokens: the public URL of the endpoint. Default: the URL of the request. */
  readonly resource?: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const SCOPES = ['mcp:search', 'mcp:fetch', 'mcp:crawl', 'mcp:templates', 'mcp:extract']

/** The paths of the metadata of an endpoint at `path`, the one of RFC 9728 section 3.1 first. */
export function metadataPaths(path: string): readonly string[] {
  return [`${WELL_KNOWN}${path}`, WELL_KNOWN]
}

/** Returns the URL of the metadata of a resource. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
}

/** The path of the resource whose metadata is at a URL. `null`: the URL is not one of metadata. */
export function describedPath(url: string): string | null {
  const { pathname } = new URL(url)
  if (pathname === WELL_KNOWN) return '/mcp'
  return pathname.startsWith(`${WELL_KNOWN}/`) ? pathname.slice(WELL_KNOWN.length) : null
}

/** The metadata (RFC 9728 section 2). It is public, also for scripts of any page. */
export function metadataReply(resource: string, authorizationServers: readonly string[]): Reply {
  const body = {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Seine',
  }
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json',
      // It may contain an address from headers of proxies, which are not part of the key of shared
      // caches.
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
    },
    body: JSON.stringify(body),
  }
}

/** A challenge with the URL of the metadata (RFC 9728 section 5.1). */
export function withMetadata(challenge: string, resource: string): string {
  const [scheme = 'Bearer', ...parameters] = challenge.split(' ')
  const parameter = `resource_metadata="${metadataUrl(resource)}"`
  return `${scheme} ${[parameters.join(' '), parameter].filter((part) => part !== '').join(', ')}`
}
