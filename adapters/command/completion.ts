import { nameMeant } from '../../src/kernel/names.ts'
import { wrongUse } from './command-error.ts'
import { COMMAND_NAMES, helpOf, verbsOf } from './commands.ts'
import { COMPLETION_HELP } from './help.ts'

/**
 * Each script asks `seine completion words` with the words of the line, so the script never has to
 * be updated. If the command prints nothing, the shell completes files.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_seine() {
  local found
  found="$(seine completion words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _seine seine
`,
  zsh: `_seine() {
  local -a found
  found=("\${(@f)$(seine completion words "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _seine seine
`,
  fish: `function __seine_words
  set -l line (commandline -opc) (commandline -ct)
  seine completion words $line[2..-1] 2>/dev/null
end
complete -c seine -a '(__seine_words)'
`,
}

/** `seine completion`: a script for a shell, or the words that may stand at the end of a line. */
export async function completion([shell, ...words]: string[]): Promise<number> {
  if (shell === undefined || shell === '--help' || shell === '-h') {
    process.stdout.write(COMPLETION_HELP)
    return shell === undefined ? 2 : 0
  }
  if (shell === 'words') {
    const candidates = candidatesOf(words)
    process.stdout.write(candidates.map((word) => `${word}\n`).join(''))
    return 0
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (script === undefined || words.length > 0)
    throw wrongUse(
      `seine completion takes bash, zsh or fish${nameMeant(shell, Object.keys(SCRIPTS))}`,
    )
  process.stdout.write(script)
  return 0
}

/** The words that may stand in place of the last one. */
export function candidatesOf(words: readonly string[]): string[] {
  const [command = '', ...rest] = words
  const start = words.at(-1) ?? ''
  return wordsAfter(words.length, command, rest).filter((word) => word.startsWith(start))
}

function wordsAfter(count: number, command: string, rest: readonly string[]): readonly string[] {
  if (count <= 1) return [...COMMAND_NAMES, 'help', '--help', '--version']
  if (command === 'help') return COMMAND_NAMES
  const verbs = verbsOf(command)
  if (rest.length === 1 && !(rest[0] ?? '').startsWith('-') && verbs.length > 0) return verbs
  if (!(rest.at(-1) ?? '').startsWith('-')) return []
  // The help of a command names each of its flags: a test holds that.
  return [...new Set(helpOf(command)?.match(/--[a-z]+(?:-[a-z]+)*/g)), '--help'].toSorted()
}
