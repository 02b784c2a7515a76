/** The body of a request with the headers that it needs. */
export interface Body {
  body: string | FormData;
  headers: Record<string, string>;
}

/** An operation in JSON, or, where its variables have files, as a form of the GraphQL multipart request specification. */
export function bodyOf(query: string, variables: unknown): Body {
  const files = new Map<Blob, string[]>();
  const values = withoutFiles(variables, 'variables', files);
  // Errors leave all that could be answered in `GantryError.data`.
  const operation = JSON.stringify({ query, variables: values, onError: 'NULL' });
  if (files.size === 0) return { body: operation, headers: { 'Content-Type': 'application/json' } };
  const form = new FormData();
  form.append('operations', operation);
  form.append('map', JSON.stringify(Object.fromEntries([...files.values()].map((paths, at) => [at, paths]))));
  [...files.keys()].forEach((file, at) => {
    form.append(String(at), file);
  });
  // fetch adds the boundary of the form by itself.
  return { body: form, headers: {} };
}

/** The value with null in the place of files, whose paths are collected. */
function withoutFiles(value: unknown, path: string, files: Map<Blob, string[]>): unknown {
  if (value instanceof Blob) {
    files.set(value, [...(files.get(value) ?? []), path]);
    return null;
  }
  if (Array.isArray(value)) return value.map((item, at) => withoutFiles(item, `${path}.${at}`, files));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutFiles(inner, `${path}.${name}`, files)]),
  );
}
