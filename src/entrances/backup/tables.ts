const PARTS = /^database\/([^/]+)\/\d+\.copy$/;

/** The directory of a table's rows in a backup. No name of a table makes it another one's, or leads out of it. */
export function tableDirectory(table: string): string {
  // Only names made of dots mean something else to file systems and are left alone by encodeURIComponent.
  return `database/${encodeURIComponent(table).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length))}`;
}

/** The table whose rows a member of a backup holds; null for any other member, and for a name that no backup has. */
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
