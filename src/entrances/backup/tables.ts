const PARTS = /^database\/([^/]+)\/\d+\.copy$/;

/** The directory of a table's rows in a backup. Table names can neither collide nor escape from it. */
export function tableDirectory(table: string): string {
  // encodeURIComponent leaves names of dots alone, which file systems treat specially.
  return `database/${encodeURIComponent(table).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length))}`;
}

/** The table whose rows a member of a backup contains; null for other members and invalid names. */
export function tableOf(member: string): string | null {
  const [, encoded] = PARTS.exec(member) ?? [];
  if (encoded === undefined) return null;
  const table = decoded(encoded);
  return table !== null && tableDirectory(table) === `database/${encoded}` ? table : null;
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
