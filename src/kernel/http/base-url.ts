/** Facts of trusted proxies about the address that the client asked for. */
export interface Forwarded {
  readonly proto?: string
  readonly host?: string
  /** The part of the path that the proxies have removed, such as `/data`. */
  readonly prefix?: string
}

/** Options of {@link createBaseUrl}. */
export interface BaseUrlOptions {
  /** The public URL of the service. Without it the address is that of the request. */
  readonly publicUrl?: string | URL | undefined
  /** The path under which the service is mounted. */
  readonly basePath?: string | undefined
}

/**
 * Returns the URL at which a client reaches the service, without a slash at the end. `url` is that
 * of its request, as the server saw it.
 */
export type BaseUrlOf = (url: string, forwarded?: Forwarded) => string

/**
 * Makes the function that all addresses in answers come from. It returns the public URL, else the
 * URL that trusted proxies report, else the URL of the request.
 */
export function createBaseUrl({ publicUrl, basePath }: BaseUrlOptions): BaseUrlOf {
  const mount = mountPath(basePath)
  if (publicUrl !== undefined) {
    const fixed = withoutSlash(String(publicUrl))
    return () => fixed
  }
  return (url, { proto, host, prefix = '' } = {}) => {
    const start = url.indexOf('://') + 3
    const end = url.indexOf('/', start)
    // If the application has stripped the mount path, the prefix contains it.
    const isStripped = prefix !== '' && !url.startsWith(`${mount}/`, end)
    const scheme = proto ?? url.slice(0, start - 3)
    return `${scheme}://${host ?? url.slice(start, end)}${prefix}${isStripped ? '' : mount}`
  }
}

/** A path with one slash before it and none after it; empty for the root. */
export function mountPath(path = ''): string {
  const bare = path.replace(/^\/+/, '')
  return bare === '' ? '' : `/${withoutSlash(bare)}`
}

function withoutSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '')
}
