import { grants } from '../../kernel/scope.ts'
import type { Scope } from '../../kernel/scope.ts'

/** Facts that decide who may read an execution. */
interface Run {
  readonly taskId: string | null
  /** Id of the template that it runs. */
  readonly templateId?: string | null
}

/** The scopes of tools that start runs. A run of an agent can be read with the scope of its tool. */
export const AGENT_SCOPES = ['mcp:crawl', 'mcp:templates'] as const satisfies readonly Scope[]

/** The scope of the tool that starts such runs. */
export function toolScopeOf({ templateId = null }: Pick<Run, 'templateId'>): Scope {
  return templateId === null ? AGENT_SCOPES[0] : AGENT_SCOPES[1]
}

/**
 * The scopes that let a caller read an execution; one of them is enough. Runs of tasks are not for
 * agents.
 */
export function scopesOfRun(run: Run): readonly Scope[] {
  return run.taskId === null ? ['executions:read', toolScopeOf(run)] : ['executions:read']
}

/**
 * The scopes that let a caller end an execution. A caller who may start such a run may also stop
 * it.
 */
export function scopesToEnd(run: Run): readonly [Scope, ...Scope[]] {
  return run.taskId === null ? ['executions:write', toolScopeOf(run)] : ['executions:write']
}

/** True if a caller with these scopes may read an execution. */
export function mayReadRun(granted: readonly string[], run: Run): boolean {
  return scopesOfRun(run).some((scope) => grants(granted, scope))
}
