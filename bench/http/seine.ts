import { contend } from './contender.ts'
import { platformOn, serve } from './platform.ts'

await contend(async (store) => (await serve({ platform: platformOn(store), port: 0 })).port)
