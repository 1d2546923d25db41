const API = '/api/v1/'

/** Where the service is mounted, as far as a request to it tells: its URL up to the API's path. */
export function linkBase(url: string): string {
  const at = url.indexOf(API)
  return at < 0 ? '' : url.slice(0, at)
}
