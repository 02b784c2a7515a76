import { isNonNullType } from 'graphql';
import { coerce, type Parameter, Unusable } from '#rest/engine/coerce.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import { pathParameters, type Route } from '#rest/engine/route.ts';
import { fill } from '#schema/input_fields.ts';

/** The operation's variables from path and parameters; errors are added to `problems` in order. */
export function readVariables(
  { route, parameters, takesInput }: Endpoint,
  inPath: ReadonlyMap<string, string>,
  given: Record<string, unknown>,
  problems: string[],
): Record<string, unknown> {
  const variables: Record<string, unknown> = takesInput ? { input: structuredClone(route.preset ?? {}) } : {};
  for (const parameter of parameters) {
    const { name, required, neededWithin } = parameter;
    try {
      const value = parameter.in === 'path' ? inPath.get(name) : givenAt(given, parameter.keys);
      // Empty, it is not the one that is meant; if none is, the first is what is missing.
      if (route.alternatives?.includes(name) && isBlank(value)) {
        const isNone = route.alternatives.every((other) => isBlank(given[other]));
        if (isNone && route.alternatives[0] === name)
          problems.push(`${name} is ${value === undefined ? 'missing' : 'invalid'}`);
        continue;
      }
      const coerced = value === undefined ? undefined : coerce(value, parameter);
      const hasOther = isNonNullType(parameter.type) || parameter.preset !== undefined;
      const absent = coerced === undefined || (coerced === null && hasOther);
      if (!absent) fill(variables, parameter.fills, coerced);
      else if (parameter.preset !== undefined) fill(variables, parameter.fills, parameter.preset);
      else if (required || (neededWithin && isBegun(given, parameter.keys)))
        problems.push(`${name} is ${value === undefined ? 'missing' : 'invalid'}`);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push(`${error instanceof NoRecord ? error.parameter : name} ${error.message}`);
    }
  }
  problems.push(...missingRecords(parameters, variables, given));
  problems.push(...unkeptSecrets({ route, parameters }, given));
  const refused = Object.entries(route.unsupported ?? {}).filter(([name, held]) => !isHeld(given[name], held));
  problems.push(...refused.map(([name]) => `${name} is not supported here`));
  const exclusive = [...(route.exclusive ?? []), ...(route.alternatives ? [route.alternatives] : [])];
  for (const names of exclusive) {
    if (names.filter((name) => !isBlank(given[name])).length > 1)
      problems.push(`${names.join(', ')} are mutually exclusive`);
  }
  const { atLeastOne, check, unsupported = {} } = route;
  if (atLeastOne && ![...atLeastOne, ...Object.keys(unsupported)].some((name) => given[name] !== undefined)) {
    problems.push(`${atLeastOne.join(', ')} are missing, at least one parameter must be provided`);
  }
  problems.push(...(check?.(given) ?? []));
  return variables;
}

/** What is wrong where a record was begun that lacks one which it must have: `line_range[end]`. */
function missingRecords(
  parameters: readonly Parameter[],
  variables: Record<string, unknown>,
  given: Record<string, unknown>,
): Set<string> {
  const found = new Set<string>();
  for (const { keys, fills, neededAround = [] } of parameters) {
    for (const count of neededAround) {
      const path = fills.slice(0, fills.length - keys.length + count);
      const within = path.slice(0, -1).reduce<unknown>(fieldOf, variables);
      if (within == null || fieldOf(within, path.at(-1) ?? '') != null) continue;
      const [first, ...inner] = keys.slice(0, count);
      const isGiven = keys.slice(0, count).reduce<unknown>(fieldOf, given) != null;
      found.add(`${first}${inner.map((key) => `[${key}]`).join('')} is ${isGiven ? 'invalid' : 'missing'}`);
    }
  }
  return found;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Parameters by which callers ask that what they write is not seen by everybody. */
const SECRECY = ['internal', 'confidential'];

/** What is wrong where a caller asks for secrecy of something that cannot have it: it must not be published instead. */
function unkeptSecrets({ route, parameters }: Pick<Endpoint, 'route' | 'parameters'>, given: Record<string, unknown>) {
  if (route.method === 'GET' || route.method === 'DELETE') return [];
  const known = new Set([...parameters.map(({ name }) => name), ...Object.keys(route.synonyms ?? {})]);
  const asked = SECRECY.filter((name) => !known.has(name) && isTrue(given[name]));
  return asked.map((name) => `${name} is not supported here`);
}

/** A parameter that should be a record, but is not. */
class NoRecord extends Unusable {
  readonly parameter: string;

  constructor(parameter: string) {
    super('is invalid');
    this.parameter = parameter;
  }
}

/** The value at the end of the keys; undefined if there is none. Throws Unusable. */
function givenAt(given: Record<string, unknown>, keys: Parameter['keys']): unknown {
  const [first] = keys;
  let value = given[first];
  for (let depth = 1; depth < keys.length; depth += 1) {
    if (isBlank(value)) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NoRecord(first);
    value = (value as Record<string, unknown>)[keys[depth] ?? ''];
  }
  return value;
}

/** Whether something is given of the record that a nested parameter is in. */
function isBegun(given: Record<string, unknown>, keys: Parameter['keys']): boolean {
  const around = keys.slice(0, -1) as unknown as Parameter['keys'];
  return givenAt(given, around) != null && !isBlank(givenAt(given, around));
}

/** Whether a parameter was sent as true. */
export function isTrue(value: unknown): boolean {
  return typeof value !== 'object' && /^(true|1|yes|y|t|on)$/i.test(String(value).trim());
}

/** Whether a value is empty, or one of these. */
function isHeld(value: unknown, held: readonly string[]): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return isBlank(value) || held.includes(String(value).trim().toLowerCase());
}

/** Optional parameters that are empty count as absent. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Renames parameters sent under another name; a parameter under its own name wins, unless the route says otherwise. */
export function renamed(
  given: Record<string, unknown>,
  { aliases, synonyms, synonymsWin }: Pick<Route, 'aliases' | 'synonyms' | 'synonymsWin'>,
): Record<string, unknown> {
  for (const [other, name] of Object.entries({ ...aliases, ...synonyms })) {
    const wins = given[name] === undefined || (synonymsWin === true && synonyms?.[other] !== undefined);
    if (given[other] !== undefined && wins) given[name] = given[other];
  }
  return given;
}

/** The values of the path by parameter name; null if the route does not accept them. */
export function pathValues(
  { route, parameters }: Endpoint,
  values: readonly string[],
): ReadonlyMap<string, string> | null {
  const names = pathParameters(route);
  const found = new Map(names.map((name, index) => [name, values[index] ?? '']));
  const last = names.at(-1);
  const type = parameters.find(({ name }) => name === last)?.type;
  if (last !== undefined && type && route.path.endsWith(`:${last}`))
    found.set(last, withoutSuffix(found.get(last), type));
  return route.numeric?.every((name) => /^\d+$/.test(found.get(name) ?? '')) === false ? null : found;
}

/** A number without the `.json` that clients may append to paths (behaviour.md 3). */
function withoutSuffix(value = '', type: Parameter['type']): string {
  const number = ['Int', 'ID', 'ProjectRef', 'GroupRef'].includes(String(type).replace('!', ''));
  return number && /^\d+\.json$/.test(value) ? value.slice(0, -'.json'.length) : value;
}
