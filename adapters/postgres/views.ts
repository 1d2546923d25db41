import { REPORT_VIEWS } from '../../src/features/report-views.ts'
import type { ReportColumn, ReportView } from '../../src/features/report-views.ts'

/** Kinds of records that are few compared with pages. Their views use an index. */
const MANY = new Set(['visits', 'items', 'item-changes'])

/** Functions and an index that views need; part of the tables' layout. */
export function viewSupport(schema: string): string {
  const few = [...new Set(REPORT_VIEWS.map(({ collection }) => collection))]
    .filter((collection) => !MANY.has(collection))
    .toSorted()
  return `
CREATE INDEX entries_reported ON ${schema}.entries (collection)
  WHERE collection IN (${few.map(literal).join(', ')});
-- Parts of a key (src/kernel/key.ts): each ends with U+0001, begins with its type, and has the
-- bytes of its text as characters.
CREATE FUNCTION ${schema}.key_text(key text, part integer) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $body$
  SELECT convert_from(convert_to(
    replace(replace(replace(
      substr(split_part(key, chr(1), part + 1), 2),
      chr(2) || chr(16), ''), chr(2) || chr(17), chr(1)), chr(2) || chr(18), chr(2)),
    'LATIN1'), 'UTF8')
$body$;
-- The bits of a double, ordered as the numbers are: a negative number has all its bits inverted,
-- any other number the first.
CREATE FUNCTION ${schema}.key_number(key text, part integer) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $body$
  SELECT CASE WHEN sorted < 0 THEN 1 ELSE -1 END * CASE WHEN bits >> 52 = 0
    THEN (bits & 4503599627370495) * 2::double precision ^ -1074
    ELSE (1 + (bits & 4503599627370495) / 4503599627370496::double precision)
      * 2::double precision ^ ((bits >> 52) - 1023) END
  FROM (
    SELECT sorted, CASE WHEN sorted < 0
      THEN sorted & 9223372036854775807
      ELSE ~sorted & 9223372036854775807 END AS bits
    FROM (SELECT ('x' || substr(split_part(key, chr(1), part + 1), 2))::bit(64)::bigint AS sorted) AS a) AS b
$body$;
-- JSON may have characters that a text of Postgres cannot have: U+0000 and lone surrogates. Only
-- these are written as escapes.
CREATE FUNCTION ${schema}.readable(value json) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $body$
  SELECT CASE WHEN value::text ~ '\\\\u(0000|d[89a-f])' THEN regexp_replace(value::text,
    '(?<!\\\\)((\\\\\\\\)*)\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\1\\\\ufffd', 'g')::json
    ELSE value END
$body$;`
}

/**
 * Makes the views. If a view cannot be replaced, because something else has its name or depends on
 * it, the old one stays.
 */
export function makeViews(schema: string): string {
  return REPORT_VIEWS.map((view) => {
    const name = `${schema}."${view.name}"`
    const create = `VIEW ${name} AS ${selectOf(schema, view)}`
    return `
DO $view$ BEGIN
  BEGIN CREATE OR REPLACE ${create};
  EXCEPTION WHEN invalid_table_definition THEN
    DROP VIEW ${name};
    CREATE ${create};
  END;
EXCEPTION WHEN OTHERS THEN RAISE WARNING 'The view % stays as it is: %', ${literal(view.name)}, SQLERRM;
END $view$;`
  }).join('')
}

function selectOf(schema: string, { collection, columns, only }: ReportView): string {
  const condition = only ? ` AND ${schema}.key_text(key, ${only.part}) = ${literal(only.is)}` : ''
  const selected = columns.map((column) => `${expression(schema, column)} AS "${column.name}"`)
  return (
    `SELECT ${selected.join(', ')}\n` +
    `    FROM (SELECT key, ${schema}.readable(value) AS value FROM ${schema}.entries` +
    ` WHERE collection = ${literal(collection)}${condition} AND expires_at IS NULL) AS e`
  )
}

function expression(schema: string, { type, from }: ReportColumn): string {
  if (typeof from === 'number') {
    const number = `${schema}.key_number(key, ${from})`
    return type === 'text'
      ? `${schema}.key_text(key, ${from})`
      : type === 'time'
        ? `to_timestamp(${number} / 1000)`
        : number
  }
  const path = literal(`{${from.join(',')}}`)
  switch (type) {
    case 'json':
      return `(value #> ${path})::jsonb`
    case 'text':
      return `value #>> ${path}`
    case 'integer':
      return `(value #>> ${path})::numeric::bigint`
    case 'number':
      return `(value #>> ${path})::double precision`
    case 'time':
      return `to_timestamp((value #>> ${path})::double precision / 1000)`
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
