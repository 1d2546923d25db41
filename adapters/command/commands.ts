import { ACTIONS, actionHelp } from './api/actions.ts'
import {
  BACKUP_HELP,
  BENCH_HELP,
  COMPLETION_HELP,
  CONFIG_HELP,
  DOCTOR_HELP,
  ERASE_HELP,
  EXTRACT_HELP,
  INIT_HELP,
  MCP_HELP,
  RESTORE_HELP,
  VERIFY_HELP,
} from './help.ts'
import { serveHelp } from './settings/help.ts'

/** Commands that do not use the HTTP API, with their help and the words that may follow them. */
const OWN: Readonly<Record<string, { readonly help: () => string; readonly verbs?: string[] }>> = {
  extract: { help: () => EXTRACT_HELP },
  serve: { help: serveHelp },
  mcp: { help: () => MCP_HELP },
  init: { help: () => INIT_HELP },
  config: { help: () => CONFIG_HELP, verbs: ['check', 'settings', 'schema'] },
  doctor: { help: () => DOCTOR_HELP },
  verify: { help: () => VERIFY_HELP },
  backup: { help: () => BACKUP_HELP },
  restore: { help: () => RESTORE_HELP },
  erase: { help: () => ERASE_HELP },
  bench: { help: () => BENCH_HELP },
  completion: { help: () => COMPLETION_HELP, verbs: ['bash', 'zsh', 'fish'] },
}

/** All commands. */
export const COMMAND_NAMES: readonly string[] = [...Object.keys(OWN), ...Object.keys(ACTIONS)]

/** The help of a command; `null`: there is no such command. */
export function helpOf(command: string): string | null {
  if (Object.hasOwn(ACTIONS, command)) return actionHelp(command)
  return Object.hasOwn(OWN, command) ? (OWN[command]?.help() ?? null) : null
}

/** Words that may follow a command. */
export function verbsOf(command: string): readonly string[] {
  const actions = Object.hasOwn(ACTIONS, command) ? (ACTIONS[command]?.actions ?? []) : []
  if (actions.length > 1) return actions.map(({ verb }) => verb)
  return (Object.hasOwn(OWN, command) ? OWN[command]?.verbs : undefined) ?? []
}
