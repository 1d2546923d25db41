/**
 * The functions that read. Each is one statement in its own function, so that the planner uses the
 * index whatever the table's size was at planning time: a session caches its plans, and a plan for
 * a small table would scan a large one later.
 */
export function readFunctions(schema: string): string {
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
