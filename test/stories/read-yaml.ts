import { parse } from 'yaml'

/** A value of YAML whose numbers and words such as `true` stay texts, as the file has them. */
export type Yaml = string | readonly Yaml[] | { readonly [name: string]: Yaml }

/**
 * Reads a file of YAML.
 *
 * @throws {YAMLParseError} for a text that is not YAML
 */
export function readYaml(source: string): Yaml {
  const value: Yaml = parse(source, { schema: 'failsafe' })
  return value
}
