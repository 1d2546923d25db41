import { check, PATH, tell, timed } from './told.mjs'

const make = ({ fastify }) => fastify().get(PATH, async () => [])
const [module, loaded] = await timed(() => import('fastify'))
const [app, made] = await timed(() => make(module))
const [response, first] = await timed(() => app.inject(PATH))
check(response.statusCode)
const [, further] = await timed(() => void make(module))
tell({ loaded, made, first, further })
