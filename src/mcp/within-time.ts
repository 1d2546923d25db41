import type { Clock } from '../ports/clock.ts'
import type { ServiceQuestion, ToolCaller, ToolService } from './tool-service.ts'

/** Wraps a service so that a call fails if the service does not answer in time. */
export function withinTime(service: ToolService, clock: Clock, ms: number): ToolService {
  const limited = async <A extends ToolCaller, T>(
    caller: A,
    ask: (caller: A) => Promise<T>,
  ): Promise<T> => {
    const late = new AbortController()
    const done = new AbortController()
    const { promise, reject } = Promise.withResolvers<never>()
    clock.sleep(ms, done.signal).then(
      () => {
        late.abort()
        reject(new Error('The service did not respond in time'))
      },
      () => {},
    )
    try {
      return await Promise.race([
        ask({ ...caller, signal: AbortSignal.any([caller.signal, late.signal]) }),
        promise,
      ])
    } finally {
      done.abort()
    }
  }
  const { ask: askService } = service
  return {
    ...service,
    ...(askService && {
      ask: (caller: ToolCaller, question: ServiceQuestion) =>
        limited(caller, (watched) => askService(watched, question)),
    }),
    list: (caller) => limited(caller, (limitedCaller) => service.list(limitedCaller)),
    call: (caller, tool, args) => limited(caller, (watched) => service.call(watched, tool, args)),
  }
}
