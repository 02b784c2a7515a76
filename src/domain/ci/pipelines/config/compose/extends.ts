import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { isMap, type Raw, scalarText } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { Merger } from '#src/domain/ci/pipelines/config/compose/merge.ts';

/** How many levels of `extends` may lie above each other. */
const MAX_EXTENDS_LEVELS = 11;

/**
 * Resolves `extends`: each entry of the file that has it starts from those that it names, in order. Throws InvalidConfig.
 *
 * @param mayMiss whether some may be in a template that is not there
 */
export function resolveExtends(raw: Raw, merger: Merger, mayMiss = false): Raw {
  const done = new Map<string, Raw>();
  const resolve = (name: string, above: readonly string[]): unknown => {
    const value = raw[name];
    if (!isMap(value) || value.extends == null) return value;
    const known = done.get(name);
    if (known) return known;
    if (above.includes(name)) throw new InvalidConfig(`${name}: circular dependency detected in \`extends\``);
    if (above.length >= MAX_EXTENDS_LEVELS) throw new InvalidConfig(`${name}: nesting too deep in \`extends\``);
    const bases = (Array.isArray(value.extends) ? value.extends : [value.extends]).map(scalarText);
    if (bases.includes(null))
      throw new InvalidConfig(`jobs:${name}:extends config should be an array of strings or a string`);
    const unknown = bases.filter((base) => base === null || !isMap(raw[base]));
    if (unknown.length > 0 && !mayMiss)
      throw new InvalidConfig(`${name}: unknown keys in \`extends\` (${unknown.join(', ')})`);
    const { extends: _names, ...own } = value;
    const merged = [...bases.map((base) => resolve(String(base), [...above, name])), own].reduce<Raw>(
      (before, next) => merger.merge(before, isMap(next) ? next : {}),
      {},
    );
    done.set(name, merged);
    return merged;
  };
  return Object.fromEntries(Object.keys(raw).map((name) => [name, resolve(name, [])]));
}
