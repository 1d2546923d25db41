import type { Platform, RecipeInput, VerifyReport } from 'seine'
import { allCases } from '../cases/all-cases.ts'
import { createStage, type Sites } from '../cases/create-stage.ts'
import { fairCases } from '../cases/fair-cases.ts'
import { CROWD, OWNER } from '../cases/platform-options.ts'
import { runCases, type Crowd } from '../cases/stage.ts'
import { probeGuard } from './probe-guard.ts'

/** Answers requests that only the suite sends, beside the API; `null` for any other request. */
export async function answerSuite(request: Request, platform: Platform): Promise<Response | null> {
  switch (new URL(request.url).pathname) {
    case '/suite/key':
      return new Response(
        (await platform.api.keys.create(OWNER, { name: 'suite', scopes: ['*'] })).secret,
      )
    case '/suite/verify':
      return Response.json(await platform.verify())
    case '/suite/start': {
      const { recipe, count }: { recipe: RecipeInput; count: number } = JSON.parse(
        await request.text(),
      )
      for (let i = 0; i < count; i++) await platform.api.executions.run(CROWD, { recipe })
      return new Response()
    }
    default:
      return null
  }
}

/** Runs the cases in a Worker against the platform behind `send`. */
export async function runInWorker(
  request: Request,
  send: (request: Request) => Promise<Response>,
  server: string,
  crowd: Omit<Crowd, 'startMany'>,
): Promise<Response> {
  const url = 'https://data.example.com'
  const sites: Sites = JSON.parse(await request.text())
  const key = await (await send(new Request(`${url}/suite/key`))).text()
  const verify = async (): Promise<VerifyReport> =>
    JSON.parse(await (await send(new Request(`${url}/suite/verify`))).text())
  const startMany = async (recipe: RecipeInput, count: number): Promise<void> => {
    const body = JSON.stringify({ recipe, count })
    await send(new Request(`${url}/suite/start`, { method: 'POST', body }))
  }
  const outcomes = await runCases(
    [...allCases, ...fairCases],
    createStage({ url, key, sites, fetch: send, verify, crowd: { ...crowd, startMany } }),
  )
  return Response.json({
    outcomes,
    facts: { server, guard: await probeGuard(sites, null), threads: 'no' },
  })
}
