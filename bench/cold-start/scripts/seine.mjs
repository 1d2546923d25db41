import { check, PATH, tell, timed } from './told.mjs'

const ignore = () => undefined
const logger = { debug: ignore, info: ignore, warn: ignore, error: console.error }
const options = {
  authenticators: [() => ({ account: 'bench', user: 'bench', scopes: ['*'] })],
  logger,
}
const [{ createPlatform }, loaded] = await timed(() => import('../../../dist/index.js'))
const [platform, made] = await timed(() => createPlatform(options))
const [response, first] = await timed(() => platform.fetch(new Request(`http://localhost${PATH}`)))
check(response.status)
const [, further] = await timed(() => createPlatform(options))
tell({ loaded, made, first, further })
