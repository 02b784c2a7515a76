import { BreakingChangeType, buildSchema, findSchemaChanges } from 'graphql';

/**
 * What a schema breaks for clients of another one, by two SDLs, one description each; without what was accepted.
 *
 * @param accepted lines of descriptions; blank lines and those that begin with `#` say nothing
 */
export function breakingChanges(released: string, current: string, accepted: string): string[] {
  const known = new Set(accepted.split('\n').map((line) => line.trim()));
  const breaking = new Set<string>(Object.values(BreakingChangeType));
  return findSchemaChanges(buildSchema(released), buildSchema(current))
    .filter(({ type }) => breaking.has(type))
    .map(({ type, description }) => `${type}: ${description}`)
    .filter((line) => !known.has(line))
    .sort();
}
