/** One stage of a Dockerfile. */
export interface Stage {
  readonly from: string
  readonly name: string
  readonly steps: readonly Step[]
}

/** One instruction: a word like `COPY`, and its arguments. */
export interface Step {
  readonly instruction: string
  readonly text: string
}

/** The stages of a Dockerfile, in order. */
export function stagesOf(source: string): Stage[] {
  const stages: { from: string; name: string; steps: Step[] }[] = []
  for (const line of source.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, instruction = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (instruction === '') throw new Error(`What is "${line}" in a Dockerfile?`)
    if (instruction === 'FROM') {
      const [, from = '', name = ''] = /^(\S+) AS (\S+)$/.exec(text) ?? []
      stages.push({ from, name, steps: [] })
    } else stages.at(-1)?.steps.push({ instruction, text })
  }
  return stages
}

/** The arguments of the last instruction of this name; throws if there is none. */
export function lastOf({ name, steps }: Stage, instruction: string): string {
  const step = steps.findLast((each) => each.instruction === instruction)
  if (!step) throw new Error(`The stage ${name} has no ${instruction}`)
  return step.text
}

/** The words of `CMD`, `ENTRYPOINT` or of the command of `HEALTHCHECK`, in their form of JSON. */
export function wordsOf(text: string): string[] {
  const words: unknown = JSON.parse(text.slice(text.indexOf('[')))
  if (!Array.isArray(words)) throw new Error(`${text} is no list`)
  return words.map(String)
}

/** The variables of `ENV`. */
export function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(' ').map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return [name, value]
    }),
  )
}
