/** Codes of PostgreSQL for an extension whose files are missing, that is not supported, or that the role may not create. */
const MISSING = new Set(['0A000', '58P01', 'F0000', '42501']);

/** What to do about a migration that could not create an extension; null for any other failure. */
export function missingExtension(error: unknown): string | null {
  const { code, message = '' } = error as { code?: string; message?: string };
  const name = /extension "([a-z_]+)"/.exec(message)?.[1];
  if (code === undefined || name === undefined || !MISSING.has(code)) return null;
  return (
    `Gantry needs the extension ${name}, which this PostgreSQL lacks or does not let the role create: install it (it comes with ` +
    `PostgreSQL, or in the package of its contrib modules), or have an administrator run CREATE EXTENSION ${name} in this database`
  );
}
