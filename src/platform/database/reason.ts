/** The first line of an error; a refused connection to a name with several addresses has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? '';
}
