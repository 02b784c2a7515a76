import pg from 'pg';

/**
 * What PostGraphile needs to know of the database, as its documentation advises: computed columns as functions that PostgreSQL
 * writes out in the statement, and relations that have no foreign key as views with one in their comments.
 */
const STATEMENTS = [
  `COMMENT ON COLUMN issues.deleted_at IS '@behavior +filterBy'`,
  // A type of that name is GraphQL's own.
  `COMMENT ON TABLE subscriptions IS '@name subject_subscriptions'`,
  `CREATE FUNCTION users_avatar_url(u users) RETURNS text STABLE LANGUAGE sql
   AS $$ SELECT 'https://www.gravatar.com/avatar/' || md5(lower(u.email)) || '?s=80&d=identicon' $$`,
  `CREATE FUNCTION users_web_url(u users) RETURNS text STABLE LANGUAGE sql AS $$ SELECT 'base:/' || u.username $$`,
  `CREATE VIEW issue_notes AS SELECT id, subject_id AS issue_id FROM notes WHERE subject_type = 'Issue' AND NOT system`,
  `CREATE VIEW issue_awards AS SELECT id, name, subject_id AS issue_id FROM award_emoji WHERE subject_type = 'Issue'`,
  ...['issue_notes', 'issue_awards'].map(
    (view) => `COMMENT ON VIEW ${view} IS E'@primaryKey id\\n@foreignKey (issue_id) references issues (id)'`,
  ),
];

/** Tells PostGraphile about the database at the URL. */
export async function prepareDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of STATEMENTS) await client.query(statement);
  } finally {
    await client.end();
  }
}
