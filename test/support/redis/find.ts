import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * The program of the system's Redis.
 *
 * @throws where its package is not installed
 */
export function findRedis(): string {
  const configured = process.env['REDIS_SERVER']
  if (configured) return configured
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/sbin')
    .map((folder) => join(folder, 'redis-server'))
    .find(existsSync)
  if (installed === undefined)
    throw new Error(
      'Redis is not installed: apt-get install redis-server, or set REDIS_SERVER to its program',
    )
  return installed
}
