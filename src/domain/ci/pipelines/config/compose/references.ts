import { Reference } from '#src/domain/ci/pipelines/config/base/reference.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { isMap, type Raw } from '#src/domain/ci/pipelines/config/base/values.ts';

/** How many references may lead to each other. */
const MAX_REFERENCE_DEPTH = 10;
/** Values that are looked at; what references repeat counts each time. */
const MAX_VALUES = 500_000;

/** Puts the values to which references lead in their places; a list within a list becomes part of it. Throws InvalidConfig. */
export function resolveReferences(raw: Raw): Raw {
  let left = MAX_VALUES;
  const resolve = (value: unknown, depth: number): unknown => {
    if (--left < 0) throw new InvalidConfig('The configuration is too large');
    if (value instanceof Reference) return resolve(valueAt(raw, value, depth), depth + 1);
    if (Array.isArray(value)) {
      return value.flatMap((entry) => {
        const found = resolve(entry, depth);
        return entry instanceof Reference && Array.isArray(found) ? found : [found];
      });
    }
    if (!isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolve(entry, depth)]));
  };
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, resolve(value, 0)]));
}

function valueAt(raw: Raw, { path }: Reference, depth: number): unknown {
  const shown = `!reference ${JSON.stringify(path)}`;
  if (depth >= MAX_REFERENCE_DEPTH) throw new InvalidConfig(`${shown} is nested too deeply or refers to itself`);
  let found: unknown = raw;
  for (const key of path) found = isMap(found) && typeof key === 'string' ? found[key] : undefined;
  if (path.length === 0 || found === undefined) throw new InvalidConfig(`${shown} could not be found`);
  return found;
}
