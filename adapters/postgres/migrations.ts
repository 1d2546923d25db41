import { readFunctions } from './read-functions.ts'
import { viewSupport } from './views.ts'
import { writeFunctions } from './write-functions.ts'

/**
 * One step from a layout of the tables to the next. Never changed once it is released: a change is
 * a further step.
 */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** All steps, in order, for a schema whose name is quoted already. */
export function migrationsOf(schema: string): readonly Migration[] {
  return [
    {
      version: 1,
      sql: entries(schema) + writeFunctions(schema) + readFunctions(schema) + viewSupport(schema),
    },
  ]
}

// `json`, not `jsonb`: the order of an object's members is part of a value (columns of a table, for
// one), and so is U+0000.
function entries(schema: string): string {
  return `
CREATE SEQUENCE ${schema}.versions;
CREATE TABLE ${schema}.entries (
  key text COLLATE "C" PRIMARY KEY,
  collection text COLLATE "C" NOT NULL,
  value json NOT NULL,
  version bigint NOT NULL,
  expires_at double precision
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX entries_expiring ON ${schema}.entries (expires_at) WHERE expires_at IS NOT NULL;`
}
