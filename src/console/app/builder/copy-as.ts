import type { RecipeInput } from '../../../client.ts'

/** A way to make the same call outside of the console. */
export interface Copy {
  readonly name: string
  readonly text: string
}

/** The run of a recipe in all ways that the service is called. `api`: its address; no key is in it. */
export function copiesOf(recipe: RecipeInput, api: string): readonly Copy[] {
  const body = JSON.stringify({ recipe }, null, 2)
  const quoted = body.replaceAll("'", String.raw`'\''`)
  return [
    {
      name: 'curl',
      text: `curl -X POST '${api}/api/v1/executions' \\
  -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\
  -d '${quoted}'`,
    },
    {
      name: 'TypeScript',
      text: `import { createClient } from 'seine/client'

const client = createClient({ baseUrl: '${api}', apiKey: process.env.SEINE_KEY })
const execution = await client.executions.run(${body})`,
    },
    {
      name: 'Python',
      text: `import json, os, requests

body = json.loads(r'''${body.replaceAll("'''", String.raw`\u0027\u0027\u0027`)}''')
answer = requests.post('${api}/api/v1/executions', json=body,
                       headers={'X-API-Key': os.environ['SEINE_KEY']})
print(answer.json()['data']['id'])`,
    },
    {
      name: 'CLI',
      text: `cat > recipe.json <<'END'
${JSON.stringify(recipe, null, 2)}
END
seine extract --recipe recipe.json --out rows.csv`,
    },
    { name: 'JSON', text: JSON.stringify(recipe, null, 2) },
  ]
}
