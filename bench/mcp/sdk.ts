import { contend } from './contender.ts'
import { serveSdk } from './sdk-server.ts'
import { ANSWER } from './tool.ts'

await contend(() => serveSdk({ parsed: false, body: async () => ANSWER }))
