/** The operation on a key of a group. */
export const SET = 0
export const ADD = 1
export const DELETE = 2
/** The key must not change until the group is written. */
export const HOLD = 3

/**
 * The functions that write. `commit_group` writes a group of commits. It writes all of them and
 * returns `v` with their new version, or it writes nothing and returns the positions of the failed
 * checks.
 *
 * Its second statement locks every key of the group in key order. If a key has no row, it
 * creates one, so that there is something to lock. All groups lock keys in this order and wait
 * nowhere else, so two groups cannot deadlock. They hold the locks to the end, so the outcome is
 * serializable. Checks are made twice. The first time is without locks, because most checks that
 * fail have failed by then; the second time is behind the locks. Each statement sees what was
 * committed before it began, so the second check sees final values.
 *
 * Expired entries are deleted too. Rows that others have locked are skipped, so this does not wait.
 *
 * The planner must use the
 * index: a plan that was made while the table was small would otherwise be kept as it grows.
 */
export function writeFunctions(schema: string): string {
  const live = '(e.expires_at IS NULL OR e.expires_at > now)'
  const stale = (also: string) => `
    SELECT string_agg(c.i::text, ',') INTO stale
    FROM unnest(check_keys, check_versions) WITH ORDINALITY AS c (key, version, i)
    LEFT JOIN ${schema}.entries AS e ON e.key = c.key AND ${live}${also}
    WHERE e.version IS DISTINCT FROM c.version;`
  const settings =
    'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off ' +
    'SET jit = off SET plan_cache_mode = force_generic_plan'
  return `
CREATE FUNCTION ${schema}.commit_group(
  now double precision, check_keys text[], check_versions bigint[],
  keys text[], ops smallint[], collections text[], texts text[], expiries double precision[]
) RETURNS text LANGUAGE plpgsql
${settings} AS $body$
DECLARE
  stale text;
  mine bigint;
  fresh bigint;
BEGIN
  IF check_keys <> '{}' THEN${stale('')}
    IF stale IS NOT NULL THEN RETURN stale; END IF;
  END IF;
  IF keys = '{}' THEN RETURN 'v0'; END IF;
  mine := nextval('${schema}.versions');
  INSERT INTO ${schema}.entries AS e (key, collection, value, version, expires_at)
  SELECT w.key, coalesce(w.collection, ''), coalesce(w.value, 'null')::json, mine, w.expires_at
  FROM unnest(keys, collections, texts, expiries) AS w (key, collection, value, expires_at)
  ORDER BY w.key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET version = e.version WHERE false;
  GET DIAGNOSTICS fresh = ROW_COUNT;
  IF check_keys <> '{}' THEN${stale(' AND e.version <> mine')}
    IF stale IS NOT NULL THEN
      DELETE FROM ${schema}.entries AS e USING unnest(keys) AS w (key)
      WHERE e.key = w.key AND e.version = mine;
      RETURN stale;
    END IF;
  END IF;
  IF fresh < cardinality(keys) THEN
    -- By way of json, in which neither a text nor an infinite amount is a number.
    UPDATE ${schema}.entries AS e SET
      value = CASE WHEN w.op = ${ADD} AND ${live}
        THEN to_json(e.value::text::double precision + w.value::json::text::double precision)
        ELSE w.value::json END,
      expires_at = CASE WHEN w.op = ${ADD} AND ${live} THEN e.expires_at ELSE w.expires_at END,
      version = mine
    FROM unnest(keys, ops, texts, expiries) AS w (key, op, value, expires_at)
    WHERE e.key = w.key AND w.op <= ${ADD} AND e.version <> mine;
  END IF;
  IF ${DELETE} = ANY (ops) OR ${HOLD} = ANY (ops) THEN
    DELETE FROM ${schema}.entries AS e USING unnest(keys, ops) AS w (key, op)
    WHERE e.key = w.key AND (w.op = ${DELETE} OR w.op = ${HOLD} AND e.version = mine);
  END IF;
  RETURN 'v' || mine;
END
$body$;
CREATE FUNCTION ${schema}.sweep_entries(now double precision, most integer)
RETURNS bigint LANGUAGE plpgsql ${settings} AS $body$
DECLARE gone bigint;
BEGIN
  DELETE FROM ${schema}.entries AS e WHERE e.key = ANY (ARRAY(
    SELECT o.key FROM ${schema}.entries AS o WHERE o.expires_at <= now
    ORDER BY o.expires_at LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$body$;`
}
