/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** One extracted record: column name → value, in the order the recipe names its fields. */
export type Row = { readonly [column: string]: Json }
