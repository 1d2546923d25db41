import { createPlatform } from 'seine'
import { createPageThreads, serve } from 'seine/node'
import { createOpenAiModel } from 'seine/openai'
import { openData } from './accounts.ts'

// The command's server with a model, which the command has no flag for: `node host.ts DATA PORT
// MODEL_URL`.

const [data = '', port = '0', model = ''] = process.argv.slice(2)
const platform = createPlatform({
  ...openData(data),
  processor: createPageThreads(),
  allowPrivateNetwork: true,
  rateLimits: false,
  model: createOpenAiModel({
    baseUrl: model,
    privateHost: new URL(model).hostname,
    model: 'hostile',
  }),
  worker: { leaseMs: 10_000 },
})
const server = await serve({ platform, port: Number(port) })
process.stdout.write(`listening ${server.url}\n`)
process.once('SIGTERM', async () => {
  await server.close()
  await platform.close()
})
