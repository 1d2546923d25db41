import { check, PATH, tell, timed } from './told.mjs'

const make = ({ Hono }) => new Hono().get(PATH, (context) => context.json([]))
const [module, loaded] = await timed(() => import('hono'))
const [app, made] = await timed(() => make(module))
const [response, first] = await timed(async () => app.fetch(new Request(`http://localhost${PATH}`)))
check(response.status)
const [, further] = await timed(() => make(module))
tell({ loaded, made, first, further })
