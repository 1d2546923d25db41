import { once } from '../../kernel/concurrency.ts'
import { isJson, objectOf } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { isoTime } from '../common/time.ts'
import type { AgenticExecutionRecord } from './records.ts'
import type { RowsWanted } from './runs.ts'
import { TOOLS } from './tool-schema.ts'
import type { AgentRun, ToolName } from './tool-schema.ts'

/** A call of a tool on the wire. */
export interface AgenticExecution {
  readonly id: string
  readonly tool: string
  readonly arguments: Json
  /** For a run: its present state. */
  readonly result: object
  /** The result as Markdown; `null`: its JSON is the text. */
  readonly text: string | null
  readonly executionId: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

const textOf = once(async () => (await import('./result-text.ts')).resultText)

/** A call on the wire, with its result and the result's text. */
export async function callOf(
  { id, tool, arguments: args, execution, createdAt, expiresAt }: AgenticExecutionRecord,
  result: object,
): Promise<AgenticExecution> {
  const name = toolOf(tool)
  return {
    id,
    tool,
    arguments: args,
    result,
    text: name && (await textOf())(name, result),
    executionId: execution,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  }
}

/** A run as the result of the tool that started it. */
export function shape(tool: string, run: AgentRun): object {
  return tool === 'run_template' ? { valid: true, run } : run
}

/** The rows that a call requests by its arguments. */
export function rowsOf(args: Json): RowsWanted {
  const { cursor, limit } = objectOf(args)
  return {
    ...(typeof cursor === 'string' && { cursor }),
    ...(typeof limit === 'number' && { limit }),
  }
}

/** A result as plain JSON. */
export function jsonOf(result: object): Json {
  const value: unknown = JSON.parse(JSON.stringify(result))
  if (!isJson(value)) throw new Error("A tool's answer is not JSON")
  return value
}

/** The tool with this name. `null`: no tool has it. */
export function toolOf(name: string | undefined): ToolName | null {
  return name !== undefined && isTool(name) ? name : null
}

function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name)
}
