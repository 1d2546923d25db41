import { serve } from 'seine/node'
import { openPlatform } from './open-platform.ts'

// The process that answers. It fetches no page; any number of them may stand behind a balancer.
const platform = openPlatform()
const server = await serve({ platform, worker: false, port: Number(process.env['PORT'] ?? 3000) })
console.log(`listening ${server.url}`)

const stop = async (): Promise<void> => {
  await server.close()
  await platform.close()
}
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop())
