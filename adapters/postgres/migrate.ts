import { sha256Hex } from '../../src/kernel/crypto.ts'
import type { Database } from './client.ts'
import { makeViews, viewSupport } from './views.ts'
import { writeFunctions } from './write-functions.ts'

/** The advisory lock that is held while tables are created, in case others share the database. */
const LOCK = 7_355_608_031_977

/**
 * Brings tables and views to this version, also while other processes do.
 *
 * @throws if a later version has written the tables.
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  const migrations = migrationsOf(schema)
  const newest = migrations.at(-1)?.version ?? 0
  const views = makeViews(schema)
  const digest = await sha256Hex(views)
  const layout = await layoutOf(database, schema)
  if (layout.version > newest)
    throw new Error(
      `The schema has layout ${layout.version}; this version of Seine knows layouts up to ${newest}`,
    )
  if (layout.version === newest && layout.views === digest) return
  // Statements that are sent together are one transaction. The lock ends with it, and nobody sees
  // half of a layout. Each statement must see the changes that others made while it waited,
  // whatever the database's default isolation is. Postgres looks names up in a cache. The cache
  // learns of changes by others when a table is opened, but not when an advisory lock is taken, so
  // a table is opened first.
  await database.script(`
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SELECT pg_advisory_xact_lock(${LOCK});
SELECT FROM pg_catalog.pg_namespace LIMIT 1;
DO $start$ BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'The database must have the encoding UTF8';
  END IF;
  IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
  IF to_regclass('${schema}.migrations') IS NULL THEN
    CREATE TABLE ${schema}.migrations (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now(),
      views text NOT NULL DEFAULT ''
    );
  END IF;
END $start$;
${migrations.map(({ version, sql }) => step(schema, version, sql)).join('\n')}
${views}
UPDATE ${schema}.migrations SET views = '${digest}' WHERE version = ${newest};`)
}

function step(schema: string, version: number, sql: string): string {
  return `
DO $step$ BEGIN
  IF (SELECT coalesce(max(version), 0) FROM ${schema}.migrations) < ${version} THEN
    EXECUTE $sql$${sql}$sql$;
    INSERT INTO ${schema}.migrations (version) VALUES (${version});
  END IF;
END $step$;`
}

/** Version 0 if there is no layout yet. */
async function layoutOf(
  database: Database,
  schema: string,
): Promise<{ version: number; views: string }> {
  const [answer] = await database.ask(
    { name: null, text: `SELECT (to_regclass('${schema}.migrations') IS NOT NULL)::text` },
    [],
  )
  if (answer?.[0] !== 'true') return { version: 0, views: '' }
  const [row] = await database.ask(
    {
      name: null,
      text: `SELECT version::text, views FROM ${schema}.migrations ORDER BY version DESC LIMIT 1`,
    },
    [],
  )
  return { version: Number(row?.[0] ?? 0), views: String(row?.[1] ?? '') }
}

/**
 * One step from a layout of the tables to the next. A released step is never changed. Further
 * changes are new steps.
 */
interface Migration {
  readonly version: number
  readonly sql: string
}

/** All steps, in order, for a schema whose name is quoted already. */
function migrationsOf(schema: string): readonly Migration[] {
  return [
    {
      version: 1,
      sql: entries(schema) + writeFunctions(schema) + readFunctions(schema) + viewSupport(schema),
    },
  ]
}

// `json`, not `jsonb`: values keep the order of object members (such as columns of a table) and
// U+0000.
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

/**
 * The functions that read. Each is one statement in its own function, so that the planner uses the
 * index whatever the table's size was at planning time: a session caches its plans, and a plan for
 * a small table would scan a large one later.
 */
function readFunctions(schema: string): string {
  const settings = 'SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan'
  const returns =
    'RETURNS TABLE (entry_key text, entry_value text, entry_version text) LANGUAGE plpgsql STABLE'
  const select = `RETURN QUERY SELECT e.key, e.value::text, e.version::text
    FROM ${schema}.entries AS e WHERE (e.expires_at IS NULL OR e.expires_at > now)`
  const between = `${select} AND e.key > over AND e.key < under ORDER BY e.key`
  return `
CREATE FUNCTION ${schema}.read_entries(keys text[], now double precision)
${returns} ${settings} AS $body$
BEGIN ${select} AND e.key = ANY (keys); END
$body$;
CREATE FUNCTION ${schema}.list_entries(
  over text, under text, now double precision, most bigint, down boolean
) ${returns}
${settings} SET enable_bitmapscan = off SET enable_sort = off AS $body$
BEGIN
  IF down THEN ${between} DESC LIMIT most;
  ELSE ${between} LIMIT most;
  END IF;
END
$body$;`
}
