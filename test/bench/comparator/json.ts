/** The keys of a record as REST v4 names them, with the SQL expressions of their values. */
export type Fields = Readonly<Record<string, string>>;

/** Arguments of a function of PostgreSQL, at most. */
const MAX_ARGUMENTS = 100;

/** An SQL expression for the record as REST v4 shows it. */
export function restJson(fields: Fields): string {
  const all = Object.entries(fields);
  if (2 * all.length > MAX_ARGUMENTS) {
    const columns = all.map(([key, value]) => `${value} AS "${key}"`);
    return `(SELECT row_to_json(record) FROM (SELECT ${columns.join(', ')}) record)`;
  }
  const pairs = all.map(([key, value]) => `'${key}', ${value}`);
  return `json_build_object(${pairs.join(', ')})`;
}

/** What the GraphQL API calls it where that is not the same in another case. */
const NAMES: Readonly<Record<string, string>> = { id: 'databaseId', labels: 'labelTitles' };

/** As restJson, as the GraphQL API names the fields and spells states. */
export function graphqlJson(fields: Fields): string {
  const named = Object.entries(fields).map(([key, value]) => [
    NAMES[key] ?? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    key === 'state' ? `upper(${value}::text)` : value,
  ]);
  return restJson(Object.fromEntries(named));
}

/**
 * An SQL expression for the text of a record some keys of which it does not have where their values are null. Such texts are put
 * together by `listText`.
 */
export function textWithout(json: string, optional: Fields): string {
  const more = Object.entries(optional).map(
    ([key, value]) => `CASE WHEN (${value}) IS NULL THEN '' ELSE ', "${key}" : ' || (${value})::text END`,
  );
  return `left(${json}::text, -1) || ${more.join(' || ')} || '}'`;
}

/** An SQL expression for the text of the list of records that expressions of text give. */
export function listText(text: string, order: string): string {
  return `'[' || COALESCE(string_agg(${text}, ', ' ORDER BY ${order}), '') || ']'`;
}

export function timestamp(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Working time in words, such as `1h 30m`, from an expression of seconds that is not below zero; null for none. */
export function duration(seconds: string): string {
  const units = Object.entries({ mo: 576_000, w: 144_000, d: 28_800, h: 3_600, m: 60, s: 1 });
  const parts = units.map(([name, unit], index) => {
    const rest = index === 0 ? seconds : `${seconds} % ${units[index - 1]?.[1]}`;
    return `NULLIF(${rest} / ${unit}, 0) || '${name}'`;
  });
  return `NULLIF(concat_ws(' ', ${parts.join(', ')}), '')`;
}

/** How many task items a text has, done or not. */
export function taskItems(text: string): Fields {
  const items = (mark: string) => `CASE WHEN strpos(${text}, '[') > 0
    THEN regexp_count(${text}, '^[\\t >]*([-*+]|\\d{1,9}[.)])[\\t ]+\\[${mark}\\]([\\t ]|$)', 1, 'n') ELSE 0 END`;
  return { count: items('[ xX]'), completed_count: items('[xX]') };
}

/** A user as others embed it; `$1` is the base URL in every statement. */
export function user(alias: string): Fields {
  return {
    id: `${alias}.id`,
    username: `${alias}.username`,
    name: `${alias}.name`,
    state: `${alias}.state`,
    avatar_url: avatar(alias),
    web_url: `$1::text || '/' || ${alias}.username`,
  };
}

export function avatar(alias: string): string {
  return `'https://www.gravatar.com/avatar/' || md5(lower(${alias}.email)) || '?s=80&d=identicon'`;
}
