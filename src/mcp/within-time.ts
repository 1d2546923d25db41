import { inTime } from '../kernel/in-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { ServiceQuestion, ToolCaller, ToolService } from './tool-service.ts'

/** Wraps a service so that a call fails if the service does not answer in time. */
export function withinTime(service: ToolService, clock: Clock, ms: number): ToolService {
  const failure = () => new Error('The service did not respond in time')
  const limited = <A extends ToolCaller, T>(
    caller: A,
    ask: (caller: A) => Promise<T>,
  ): Promise<T> =>
    inTime({ clock, ms, signal: caller.signal, failure }, (signal) => ask({ ...caller, signal }))
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
